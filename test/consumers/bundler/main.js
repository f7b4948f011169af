import { PlumblineError, unwrap } from '@plumbline/sdk';
import { createPlatformClient, getMe, login } from '@plumbline/sdk/platform';

const client = createPlatformClient({ baseUrl: globalThis.baseUrl });
unwrap(await login(client, { body: { email: 'robin@example.com', password: 'right' } }));
const me = unwrap(await getMe(client));

let refusal = null;
try {
  unwrap(await login(client, { body: { email: 'robin@example.com', password: 'wrong' } }));
} catch (error) {
  if (error instanceof PlumblineError) refusal = error.problem.type;
}
console.log(JSON.stringify({ email: me.email, refusal }));

const { PlumblineError, unwrap } = require('@plumbline/sdk');
const { createPlatformClient, getMe, login } = require('@plumbline/sdk/platform');

async function main() {
  const client = createPlatformClient({ baseUrl: process.argv[2] });
  unwrap(await login(client, { body: { email: 'robin@example.com', password: 'right' } }));
  const me = unwrap(await getMe(client));

  let refusal = null;
  try {
    unwrap(await login(client, { body: { email: 'robin@example.com', password: 'wrong' } }));
  } catch (error) {
    if (error instanceof PlumblineError) refusal = error.problem.type;
  }
  console.log(JSON.stringify({ email: me.email, refusal }));
}

void main();

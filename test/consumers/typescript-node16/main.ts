import { unwrap } from '@plumbline/sdk';
import { createPlatformClient, getMe, login, type PlatformClient } from '@plumbline/sdk/platform';

declare const process: { readonly argv: readonly [string, string, string] };

async function main(client: PlatformClient): Promise<void> {
  unwrap(await login(client, { body: { email: 'robin@example.com', password: 'right' } }));
  const me = unwrap(await getMe(client));

  const refused = await login(client, { body: { email: 'robin@example.com', password: 'wrong' } });
  console.log(JSON.stringify({ email: me.email, refusal: refused.ok ? null : refused.problem.type }));
}

void main(createPlatformClient({ baseUrl: process.argv[2] }));

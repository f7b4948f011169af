import type { Schemas } from '../../generated/platform/operations.js';
import type { JsonReply, TestPlatform, TestUser } from './platform.js';

export type Scope = Schemas['ServiceTokenScope'];

/** A service token that an admin has created. */
export interface TestServiceToken {
  readonly id: string;
  readonly token: string;
}

/** Gives the session of a user a fresh proof. */
export async function proveSession(platform: Pick<TestPlatform, 'json'>, user: TestUser): Promise<void> {
  const body = { current_password: user.password };
  const reply = await platform.json('POST', '/api/v1/auth/step-up', { token: user.accessToken, body });
  if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
}

/** Creates a service token for the organization of `admin`. */
export async function createServiceToken(
  platform: Pick<TestPlatform, 'json'>,
  admin: TestUser,
  scopes: readonly Scope[],
  { name = `token ${scopes.join(' ')}`, days = 30 }: { readonly name?: string; readonly days?: number } = {},
): Promise<TestServiceToken> {
  const path = `/api/v1/organizations/${admin.orgId}/service-tokens`;
  const body = { name, scopes, expires_in_days: days };
  const create = (): Promise<JsonReply> => platform.json('POST', path, { token: admin.accessToken, body });
  let reply = await create();
  if (reply.body.type === '/problems/recent-login-required') {
    await proveSession(platform, admin); // the test has moved the clock
    reply = await create();
  }
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return { id: reply.body.service_token.id, token: reply.body.token };
}

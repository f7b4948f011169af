import type { Schemas } from '../../generated/platform/operations.js';
import type { TestPlatform, TestUser } from './platform.js';

export type Scope = Schemas['ServiceTokenScope'];

/** A service token that an admin has created. */
export interface TestServiceToken {
  readonly id: string;
  readonly token: string;
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
  const reply = await platform.json('POST', path, { token: admin.accessToken, body });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return { id: reply.body.service_token.id, token: reply.body.token };
}

import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Sends requests as an identity provider does. */
export interface ScimClient {
  readonly token: string;
  readonly tokenId: string;
  (method: string, path: string, body?: unknown): Promise<JsonReply>;
  patch(path: string, ...operations: readonly object[]): Promise<JsonReply>;
}

/** A client with a token of the organization of an owner. */
export async function createScimClient(platform: TestPlatform, owner: TestUser): Promise<ScimClient> {
  const { token, id } = await createServiceToken(platform, owner, ['scim:write']);
  const headers = { 'Content-Type': 'application/scim+json', Accept: 'application/scim+json' };
  const send = (method: string, path: string, body?: unknown): Promise<JsonReply> =>
    platform.json(method, `/scim/v2${path}`, { token, body, headers });
  return Object.assign(send, {
    token,
    tokenId: id,
    patch: (path: string, ...operations: readonly object[]) =>
      send('PATCH', path, { schemas: [patchSchema], Operations: operations }),
  });
}

/** The path of `GET` with a filter. */
export function filtered(path: string, filter: string, others: Readonly<Record<string, string>> = {}): string {
  return `${path}?${new URLSearchParams({ filter, ...others }).toString()}`;
}

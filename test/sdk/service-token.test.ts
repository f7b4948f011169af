import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryTokenStore, unwrap } from '../../sdk/src/index.js';
import {
  createPlatformClient,
  getCurrentServiceToken,
  getMe,
  getSetupStatus,
  listTeams,
  login,
  signOut,
  type PlatformClient,
} from '../../sdk/src/platform.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
let token: string;
let id: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  ({ id, token } = await createServiceToken(platform, owner, ['analytics:read', 'setup:read']));
});
afterAll(() => platform.stop());

const clientWith = (options: object = {}): PlatformClient =>
  createPlatformClient({ baseUrl: platform.url, fetch: platform.fetch, token, ...options });

describe('A client with a service token', () => {
  test('acts for the organization of the token', async () => {
    const client = clientWith();
    const me = unwrap(await getCurrentServiceToken(client));
    expect([me.id, me.org_id, me.scopes]).toEqual([id, owner.orgId, ['analytics:read', 'setup:read']]);
    expect((await getSetupStatus(client)).status).toBe(200);
  });

  test('gets the typed refusals of what the token may not do', async () => {
    const client = clientWith();
    const teams = await listTeams(client, { params: { org_id: owner.orgId } });
    if (teams.ok || teams.problem.type !== '/problems/insufficient-scope') return expect.unreachable();
    expect(teams.problem.required_scope).toBe('teams:read');
    const me = await getMe(client);
    expect([me.status, me.ok ? null : me.problem.type]).toEqual([401, '/problems/unauthenticated']);
  });

  test('sends one request, and no refresh, when the token is refused', async () => {
    const paths: string[] = [];
    const counting: typeof fetch = (input, init) => {
      paths.push(new URL(input instanceof Request ? input.url : input).pathname);
      return platform.fetch(input, init);
    };
    const reply = await getCurrentServiceToken(clientWith({ token: 'plbst_wrong', fetch: counting }));
    expect([reply.status, paths]).toEqual([401, ['/api/v1/service-tokens/current']]);
  });

  test('keeps its token, whatever calls return', async () => {
    const changes: unknown[] = [];
    const client = clientWith({ onTokens: (tokens: unknown) => changes.push(tokens) });
    const { email, password } = owner;
    expect((await login(client, { body: { email, password } })).status).toBe(200);
    expect(await signOut(client)).toBeNull();
    expect([await client.tokens.get(), changes]).toEqual([{ access_token: token }, []]);
    expect((await getCurrentServiceToken(client)).status).toBe(200);
  });

  test('has no token store beside it', () => {
    expect(() => clientWith({ tokens: memoryTokenStore() })).toThrow('Set token or tokens, not both.');
  });
});

import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as analyticsModule from '../../sdk/src/analytics.js';
import * as sdk from '../../sdk/src/index.js';
import * as platformModule from '../../sdk/src/platform.js';
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

const { createPlatformClient, getCurrentServiceToken, getMe, getSetupStatus, listTeams, login, signOut } =
  platformModule;
const clientWith = (options: object = {}): platformModule.PlatformClient =>
  createPlatformClient({ baseUrl: platform.url, fetch: platform.fetch, token, ...options });

describe('A client with a service token', () => {
  test('acts for the organization of the token', async () => {
    const client = clientWith();
    const me = sdk.unwrap(await getCurrentServiceToken(client));
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
    expect(() => clientWith({ tokens: sdk.memoryTokenStore() })).toThrow('Set token or tokens, not both.');
  });
});

test('The example of the README runs, and says what the token may do', async () => {
  const readme = readFileSync('sdk/README.md', 'utf8');
  const [, snippet = ''] = /## Service tokens[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const { outputText } = ts.transpileModule(snippet, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const modules = {
    '@plumbline/sdk': sdk,
    '@plumbline/sdk/analytics': analyticsModule,
    '@plumbline/sdk/platform': platformModule,
  };
  const code = outputText.replaceAll(/^import (\{[^}]*\}) from ('[^']*');/gm, 'const $1 = modules[$2];');
  const shown: string[] = [];
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the README's text
  await new Function('modules', 'address', 'serviceToken', 'show', `return (async () => {${code}})()`)(
    modules,
    platform.url,
    token,
    (text: string) => shown.push(text),
  );
  expect(shown).toEqual([
    expect.stringMatching(/^analytics:read, setup:read until \d{4}-/),
    'needs teams:read',
    expect.stringMatching(/^\d+ dimensions$/),
  ]);
});

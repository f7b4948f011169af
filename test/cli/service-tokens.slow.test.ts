import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, unit } from '../analytics/graphql/served.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { runMain } from './main-process.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const manage = (...args: string[]): ReturnType<typeof runMain> =>
  runMain(['service-tokens', ...args, '--org', owner.orgId], { DATABASE_URI: platform.databaseUri });
const statusOf = async (token: string): Promise<number> =>
  (await platform.json('GET', '/api/v1/service-tokens/current', { token })).status;

describe('plumbline service-tokens', () => {
  test('creates, lists, rotates and revokes a token', async () => {
    const created = await manage('create', 'Nightly', '--scope', 'analytics:read', 'sync:read', '--days', '7');
    expect(created.exitCode).toBe(0);
    const first = created.stdout.trim();
    expect(first).toMatch(/^plbst_[0-9A-Za-z]{49}$/);
    expect(await statusOf(first)).toBe(200);

    const listed = await manage('list', '--json');
    const [token] = JSON.parse(listed.stdout);
    expect(token).toMatchObject({ name: 'Nightly', status: 'active', scopes: ['analytics:read', 'sync:read'] });
    expect(token).toMatchObject({ created_by: null, creator_is_admin: false });
    expect((await manage('list')).stdout).toContain(`${token.id}  active `);

    const rotated = await manage('rotate', token.id, '--overlap', '0');
    expect(await statusOf(first)).toBe(401);
    expect(await statusOf(rotated.stdout.trim())).toBe(200);

    expect(await manage('revoke', token.id)).toMatchObject({ exitCode: 0, stdout: 'The token is revoked.\n' });
    expect(await statusOf(rotated.stdout.trim())).toBe(401);
    const records = await platform.database.sql`
      select action, user_id, user_agent from audit_log where resource_id = ${token.id} order by at, id`;
    const by = { user_id: null, user_agent: 'plumbline service-tokens' };
    expect(records).toEqual(
      ['CREATE', 'SERVICE_TOKEN_ROTATED', 'SERVICE_TOKEN_REVOKED'].map((action) => ({ action, ...by })),
    );
  });

  test.each([
    [['create', 'Wrong', '--scope', 'everything'], /scopes\/0 .*analytics:read/],
    [['create', 'Wrong', '--scope', 'teams:read', '--days', '0'], /expires_in_days/],
    [['create', ' ', '--scope', 'teams:read'], /name/],
    [['rotate', '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e10', '--overlap', ''], /overlap_seconds/],
    [['rotate', 'x'], /"x" is not the id of a token/],
    [['revoke', '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e10'], /no such service token/],
  ] as const)('refuses %j in one line', async (args, message) => {
    const { exitCode, stdout, stderr } = await manage(...args);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('plumbline query --server', () => {
  const ask = (token: string, ...args: string[]): ReturnType<typeof runMain> =>
    runMain(['query', ...args, '--server', platform.url], { PLUMBLINE_TOKEN: token });

  test('asks a server with a service token', async () => {
    await fill(platform.databaseUri, owner.orgId, [unit({ id: 'one', team: 'payments' })]);
    const { token } = await createServiceToken(platform, owner, ['analytics:read']);
    const found = await ask(token, 'catalog-values', '--var', 'dimension=TEAM', '--format', 'json');
    expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('payments') });
  });

  test.each(['http://user:hunter2@127.0.0.1:1', 'http://127.0.0.1:1/?a=b', 'ftp://127.0.0.1'])(
    'refuses an address with more than a server, and prints no password: %s',
    async (server) => {
      const { exitCode, stderr } = await runMain(['query', 'catalog-values', '--server', server], {
        PLUMBLINE_TOKEN: 'plbst_x',
      });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--server must be the address of a server')]);
      expect(stderr).not.toContain('hunter2');
    },
  );

  test('says what a token lacks, and never prints it', async () => {
    const { token } = await createServiceToken(platform, owner, ['setup:read']);
    for (const [given, message] of [
      [token, /scope analytics:read/],
      ['plbst_wrong', /invalid, expired or revoked/],
      ['', /set PLUMBLINE_TOKEN/],
      [`${token}\nX: y`, /set PLUMBLINE_TOKEN/],
    ] as const) {
      const { exitCode, stdout, stderr } = await ask(given, 'catalog-dimensions');
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain(token);
    }
  });

  test('names a server that cannot be reached', async () => {
    const args = ['query', 'catalog-dimensions', '--server', 'http://127.0.0.1:9'];
    const { exitCode, stderr } = await runMain(args, { PLUMBLINE_TOKEN: 'plbst_any' });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('127.0.0.1:9 cannot be reached')]);
  });
});

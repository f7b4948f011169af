import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../generated/platform/commands.js';
import contract from '../../generated/platform/openapi.json' with { type: 'json' };
import { completeApi } from '../../src/cli/api/complete.js';
import { operationOptions } from '../../src/cli/api/options.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { makeHome, type Home } from './logged-in.js';

let platform: TestPlatform;
let owner: TestUser;
let token: string;
let home: Home;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' } });
  owner = await platform.signUp();
  ({ token } = await createServiceToken(platform, owner, [
    'teams:read',
    'teams:write',
    'sync:read',
    'sync:write',
    'sync:run',
  ]));
  home = makeHome();
});
afterAll(async () => {
  await home.remove();
  await platform.stop();
});

const api = (args: readonly string[], input = ''): ReturnType<Home['run']> =>
  home.run(['api', ...args], input, { PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url });

test('every operation of the contract is a command with its parameters and the properties of its body', () => {
  // Identity providers call the operations of SCIM.
  const paths = Object.entries(contract.paths).filter(([path]) => !path.startsWith('/scim/'));
  const operations = paths.flatMap(([, item]) =>
    Object.values(item).flatMap((value: unknown) =>
      typeof value === 'object' && value !== null && 'operationId' in value ? [value.operationId] : [],
    ),
  );
  expect(commands.map(({ operationId }) => operationId).sort()).toEqual(operations.sort());
  const options = commands.map((command) => [command.operationId, operationOptions(command).map(({ long }) => long)]);
  expect(Object.fromEntries(options)).toMatchObject({
    listAuditLog: [
      ...['--action', '--resource-kind', '--user-id', '--service-token-id', '--since', '--until', '--cursor'],
      ...['--all', '--limit', '--server', '--json'],
    ],
    startSyncRun: ['--sync-config-id', '--idempotency-key', '--watch', '--server', '--json'],
    onboard: ['--idempotency-key', '--action', '--org-name', '--invite-code', '--body', '--server', '--json'],
    getJwks: ['--server', '--json'],
  });
});

test('secrets are never arguments: their flags name a file', () => {
  const secrets = commands.flatMap(({ operationId, flags }) =>
    flags.filter(({ isSecret }) => isSecret).map(({ name }) => `${operationId} --${name}`),
  );
  expect(secrets).toEqual(
    expect.arrayContaining(['login --password', 'connectIntegration --token', 'refreshTokens --refresh-token']),
  );
});

describe('plumbline api', () => {
  test('lists the operations, and describes each', async () => {
    const list = await api([]);
    expect([list.exitCode, list.stdout]).toEqual([0, expect.stringMatching(/start-sync-run +Start a run\n/)]);
    expect(list.stdout).toContain('Exit codes:');
    const help = await api(['create-team', '--help']);
    expect(help.stdout).toMatch(/Usage: plumbline api create-team \[options\]/);
    expect(help.stdout).toMatch(/--members <value\.\.\.>/);
  });

  test('describes itself for help, and an operation for help with its name', async () => {
    const list = await api([]);
    expect(list.stdout).toMatch(/--server <url>/);
    for (const words of [['help'], ['--help']]) {
      expect(await api(words)).toMatchObject({ exitCode: 0, stdout: list.stdout, stderr: '' });
    }
    const described = await api(['help', 'create-team']);
    expect(described).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Usage: plumbline api create-team \[options\]/),
    });
  });

  test('takes the server and the format also before the operation', async () => {
    const words = ['--server', platform.url, '--json', 'list-teams'];
    const listed = await home.run(['api', ...words], '', {
      PLUMBLINE_TOKEN: token,
      PLUMBLINE_SERVER: 'http://127.0.0.1:1',
    });
    expect([listed.exitCode, JSON.parse(listed.stdout)]).toEqual([0, { items: [], next_cursor: null }]);
    expect(await api(['--server', platform.url, 'nope'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no operation 'nope'"),
    });
  });

  test.each([[['nope', 'more']], [['help', 'nope']]])('names an operation that does not exist: %j', async (words) => {
    const message =
      "plumbline api: there is no operation 'nope'; plumbline api lists them\n(add --help for the options)\n";
    expect(await api(words)).toMatchObject({ exitCode: 2, stdout: '', stderr: message });
  });

  test('reads one value from standard input, not two', async () => {
    const secrets = ['--current-password', '-', '--new-password', '-'];
    expect(await api(['change-password', ...secrets], 'one secret')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('only one of --current-password and --new-password can be - (standard input)'),
    });
    const withBody = await api(['change-password', '--current-password', '-', '--body', '-'], '{}');
    expect(withBody.stderr).toContain('only one of --current-password and --body can be -');
  });

  test('sends flags and a body, and prints the reply readable or as JSON', async () => {
    const created = await api([
      'create-team',
      '--id',
      'payments',
      '--name',
      'Payments',
      '--members',
      'a@example.com',
      '--json',
    ]);
    expect([created.exitCode, created.stderr]).toEqual([0, '']);
    const team = await platform.json('GET', `/api/v1/organizations/${owner.orgId}/teams/payments`, { token });
    expect(JSON.parse(created.stdout)).toEqual(team.body);
    const body = join(home.folder, 'team.json');
    await writeFile(body, JSON.stringify({ id: 'core', name: 'Old', members: ['b@example.com'] }));
    const merged = await api(['createTeam', '--body', body, '--name', 'Core']);
    expect(merged.stderr).toBe('');
    expect(merged.stdout).toMatch(/^id +core\nname +Core\n/);
    const fromInput = await api(['update-team', '--team-id', 'core', '--body', '-'], '{"name":"Kern"}');
    expect(fromInput.stdout).toMatch(/^name +Kern$/m);
    expect(await api(['delete-team', '--team-id', 'core'])).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
  });

  test('checks what is sent with the messages of the contract, and sends nothing', async () => {
    const before = platform.logLines.length;
    const { exitCode, stdout, stderr } = await api([
      'create-sync-config',
      '--name',
      'x',
      '--provider',
      'cvs',
      '--targets',
      'git',
      'git',
    ]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--provider must be one of .*host_a/);
    expect(stderr).toContain('--repositories is required');
    expect(stderr).toContain('--targets must NOT have duplicate items');
    const wrong = await api(['get-sync-config', '--sync-config-id', 'x']);
    expect(wrong.stderr).toContain('--sync-config-id must be a valid uuid');
    expect(platform.logLines.slice(before).filter((line) => line.includes('"path"'))).toEqual([]);
    expect(await api(['create-team', '--body', '-'], 'no')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--body is not JSON'),
    });
    expect(await api(['nope'])).toMatchObject({ exitCode: 2 });
  });

  test('prints a problem with its type and request id, and exits with 3', async () => {
    const missing = await api(['get-team', '--team-id', 'nobody', '--json']);
    expect(missing.exitCode).toBe(3);
    const problem = JSON.parse(missing.stdout);
    expect(problem).toMatchObject({ type: '/problems/team-not-found', status: 404 });
    expect(missing.stderr).toContain(`(404 /problems/team-not-found, request ${problem.request_id})`);
    const scope = await api(['list-members']);
    expect([scope.exitCode, scope.stderr]).toEqual([3, expect.stringContaining('403 /problems/insufficient-scope')]);
    expect(scope.stderr).not.toContain(token);
  });

  test('pages through lists', async () => {
    for (let index = 0; index < 5; index += 1) {
      const body = { id: `team-${index}`, name: `Team ${index}`, members: [`${index}@example.com`] };
      const made = await platform.json('POST', `/api/v1/organizations/${owner.orgId}/teams`, { token, body });
      expect(made.status).toBe(201);
    }
    const page = JSON.parse((await api(['list-teams', '--json'])).stdout);
    expect(page.items).toHaveLength(6);
    const first = (await api(['list-teams', '--limit', '3', '--json'])).stdout.trim().split('\n');
    expect(first.map((line) => JSON.parse(line))).toEqual(page.items.slice(0, 3));
    const all = (await api(['list-teams', '--all', '--json'])).stdout.trim().split('\n');
    expect(all.map((line) => JSON.parse(line))).toEqual(page.items);
    expect((await api(['list-teams', '--all'])).stdout).toMatch(/^items\nid +name/);
    expect(await api(['list-teams', '--limit', '0'])).toMatchObject({ exitCode: 2 });
  });

  test('follows a run until it ends, and exits by its result', async () => {
    const config = [
      'create-sync-config',
      '--name',
      'Synthetic',
      '--provider',
      'synthetic',
      '--targets',
      'git',
      '--json',
    ];
    const { stdout } = await api([...config, '--repositories', 'acme/shop']);
    const { id } = JSON.parse(stdout);
    const run = await api(['start-sync-run', '--sync-config-id', id, '--watch', '--json']);
    const ended = JSON.parse(run.stdout);
    expect([run.exitCode, ended.status]).toEqual([0, 'complete']);
    expect(run.stderr).toMatch(/complete, 1 of 1 repositories, \d+ records\n$/);
    await platform.database.sql`update sync_runs set status = 'failed' where id = ${ended.id}`;
    const failed = await api(['get-sync-run', '--sync-config-id', id, '--run-id', ended.id, '--watch']);
    expect([failed.exitCode, failed.stdout]).toEqual([4, expect.stringMatching(/^status +failed$/m)]);
  });
});

describe('Completion of plumbline api', () => {
  test.each([
    [['start-'], ['start-browser-session', 'start-sync-run']],
    [['start-sync-run', '--wa'], ['--watch']],
    [
      ['create-sync-config', '--provider', 'host'],
      ['host_a', 'host_b'],
    ],
    [['create-team', '--id', ''], []],
    [['nope', ''], []],
    [['he'], ['help']],
    [
      ['help', 'start-'],
      ['start-browser-session', 'start-sync-run'],
    ],
    [['help', 'start-sync-run', ''], []],
    [['--s'], ['--server']],
    [['--server', ''], []],
    [['--server', 'http://127.0.0.1:1', 'start-sync'], ['start-sync-run']],
    [['--json', 'start-sync-run', '--wa'], ['--watch']],
    [
      ['--server', 'http://127.0.0.1:1', '--json', 'create-sync-config', '--provider', 'host'],
      ['host_a', 'host_b'],
    ],
  ])('%j', (words, expected) => {
    expect(completeApi(words)).toEqual(expect.arrayContaining(expected));
    if (expected.length === 0) expect(completeApi(words)).toEqual([]);
  });

  test('is part of the script that compose has, too', async () => {
    const { stdout } = await home.run(['completion', 'bash']);
    expect(stdout).toContain('compose|api');
    expect(stdout).toMatch(/ login logout status whoami mcp push api completion/);
    expect((await api(['__complete', '--', 'get-team', '--te'])).stdout).toBe('--team-id\n');
  });
});

import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, unit } from '../analytics/graphql/served.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { missingTerminal, terminal } from '../support/terminal.js';
import { makeHome, type Home } from './logged-in.js';

let platform: TestPlatform;
let owner: TestUser;
let home: Home;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  home = makeHome();
});
afterAll(async () => {
  await home.remove();
  await platform.stop();
});

const logIn = (into: Home, password = owner.password): ReturnType<Home['run']> =>
  into.run(['login', '--server', platform.url, '--email', owner.email], `${password}\n`);
const files = async ({ logins }: Home): Promise<string[]> =>
  (await readdir(logins)).filter((each) => each !== 'current');
const stored = async (of: Home): Promise<{ access_token: string; refresh_token?: string }> =>
  JSON.parse(await readFile(join(of.logins, (await files(of))[0] ?? ''), 'utf8'));
const noTerminal = await missingTerminal();

describe('plumbline login', () => {
  test('stores the tokens for the other commands, where only the owner can read them', async () => {
    const { exitCode, stdout, stderr } = await logIn(home);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Logged in to ${platform.url} as ${owner.email}, owner of Example.\n`);
    const [file = ''] = await files(home);
    expect((await stat(home.logins)).mode & 0o777).toBe(0o700);
    expect((await stat(join(home.logins, file))).mode & 0o777).toBe(0o600);
    const { access_token, refresh_token = '' } = await stored(home);
    for (const secret of [access_token, refresh_token]) expect(stdout + stderr).not.toContain(secret);

    const me = await home.run(['whoami', '--json']);
    expect(JSON.parse(me.stdout)).toMatchObject({ kind: 'person', email: owner.email, org_id: owner.orgId });
    const status = await home.run(['status']);
    expect([status.exitCode, status.stdout]).toEqual([0, `* ${platform.url}  ${owner.email}, owner of Example\n`]);
  });

  test('warns of a connection that others can read', async () => {
    const other = makeHome();
    const server = 'http://plumbline.invalid';
    const { exitCode, stderr } = await other.run(['login', '--server', server, '--email', owner.email], 'x\n');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^plumbline login: warning: the connection to http:\/\/plumbline\.invalid is not encrypted/,
      ),
    ]);
    await other.remove();
  });

  test('says what to do when no server answers', async () => {
    const other = makeHome();
    const server = 'http://127.0.0.1:9'; // the discard port: nothing listens
    const { exitCode, stderr } = await other.run(['login', '--server', server, '--email', owner.email], 'x\n');
    expect([exitCode, stderr.split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(/^plumbline login: 127\.0\.0\.1:9 cannot be reached: /),
        'Start the server, or name another with --server or PLUMBLINE_SERVER.',
        '',
      ],
    ]);
    await other.remove();
  });

  test('is what a query without a database asks for', async () => {
    const other = makeHome();
    expect(await other.run(['query', 'overview'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^plumbline query: neither a login nor a database: run plumbline login, or set --db /,
      ),
    });
    await other.remove();
  });

  test('refuses a wrong password, and stores nothing', async () => {
    const other = makeHome();
    const { exitCode, stdout, stderr } = await logIn(other, 'wrong password 1');
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/401 \/problems\/invalid-credentials, request /);
    expect(stderr).not.toContain('wrong password 1');
    await expect(stat(other.logins)).rejects.toThrow('ENOENT');
    await other.remove();
  });

  test('takes a service token from standard input, which queries use', async () => {
    const machine = makeHome();
    await fill(platform.databaseUri, owner.orgId, [unit({ id: 'one', team: 'payments' })]);
    const { token } = await createServiceToken(platform, owner, ['analytics:read']);
    const login = await machine.run(['login', '--server', platform.url, '--token-stdin'], `${token}\n`);
    expect(login).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('service token "token analytics:read"'),
    });
    const query = ['query', 'catalog-values', '--var', 'dimension=TEAM', '--format', 'json'];
    expect(await machine.run(query)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('payments') });
    const wrong = await machine.run(['login', '--server', platform.url, '--token-stdin'], 'not a token\n');
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('must be a service token')]);
    expect(wrong.stderr).not.toContain('not a token\n');
    await machine.remove();
  });

  test('comes after PLUMBLINE_TOKEN', async () => {
    const { token } = await createServiceToken(platform, owner, ['setup:read'], { name: 'from the environment' });
    const { stdout } = await home.run(['whoami'], '', { PLUMBLINE_TOKEN: token });
    expect(stdout).toMatch(/^service token "from the environment" .* \(PLUMBLINE_TOKEN\)\n$/);
    expect(stdout).not.toContain(token);
  });

  test.skipIf(noTerminal !== undefined).each([
    ['after its question', (): string[] => [`${owner.email}\r`, `${owner.password}\r`]],
    ['ahead, with the address', (): string[] => [`${owner.email}\r${owner.password}\r`]],
  ])(
    `does not show the password that is typed %s${noTerminal === undefined ? '' : ` (skipped: ${noTerminal})`}`,
    async (_when, typedOf) => {
      const typist = makeHome();
      const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
      const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
      const command = [
        process.execPath,
        '--conditions=@plumbline/source',
        '--import',
        tsx,
        main,
        'login',
        '--server',
        platform.url,
      ];
      const screen = terminal(command, {
        cwd: typist.folder,
        env: { PATH: process.env['PATH'] ?? '', PLUMBLINE_HOME: join(typist.folder, 'state') },
      });
      const [first = '', second] = typedOf();
      await screen.shows('E-mail: ');
      screen.type(first);
      await screen.shows('Password: ');
      if (second !== undefined) screen.type(second);
      expect(await screen.ended).toBe(0);
      expect(screen.shown()).toContain(`as ${owner.email}`);
      expect(screen.shown()).not.toContain(owner.password);
      await typist.remove();
    },
  );
});

describe('Stored tokens', () => {
  test('are renewed once by commands that run at the same time, and the session continues', async () => {
    const before = await stored(home);
    platform.clock.advance(2 * 3600); // past the access token, before the refresh token
    const parallel = await Promise.all(Array.from({ length: 4 }, () => home.run(['whoami'])));
    expect(parallel.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(4).fill([0, '']));
    const after = await stored(home);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    const reuse = await platform.database.sql`select 1 from audit_log where action like '%REUSE%'`;
    expect(reuse).toEqual([]);
    const refreshes = platform.logLines.filter((line) => line.includes('/api/v1/auth/refresh'));
    expect(refreshes).toHaveLength(1);
    for (const secret of [after.access_token, after.refresh_token ?? '']) {
      expect(platform.logLines.join('\n')).not.toContain(secret);
    }
  });

  test('are refused where others can read them', async () => {
    const [file = ''] = await files(home);
    await chmod(join(home.logins, file), 0o644);
    const { exitCode, stderr } = await home.run(['whoami']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('others can read it')]);
    await chmod(join(home.logins, file), 0o600);
  });

  test('of one server are not sent to another', async () => {
    const { exitCode, stderr } = await home.run(['whoami', '--server', platform.url.replace('127.0.0.1', 'localhost')]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('Log in with plumbline login')]);
    // A file that was moved to the name of another server is not used for it.
    const [file = ''] = await files(home);
    await writeFile(
      join(home.logins, file),
      JSON.stringify({ ...(await stored(home)), server: 'https://other.example' }),
      {
        mode: 0o600,
      },
    );
    expect(await home.run(['whoami'])).toMatchObject({ exitCode: 3 });
  });

  test('are deleted by logout, which ends the session', async () => {
    const leaving = makeHome();
    await logIn(leaving);
    const { refresh_token } = await stored(leaving);
    const { exitCode, stdout } = await leaving.run(['logout']);
    expect([exitCode, stdout, await files(leaving)]).toEqual([0, `Logged out of ${platform.url}.\n`, []]);
    const refreshed = await platform.json('POST', '/api/v1/auth/refresh', { body: { refresh_token } });
    expect(refreshed.status).toBe(401);
    const status = await leaving.run(['status']);
    expect([status.exitCode, status.stdout]).toEqual([1, expect.stringContaining('You are not logged in.')]);
    expect(await leaving.run(['logout'])).toMatchObject({ exitCode: 2 });
    await leaving.remove();
  });
});

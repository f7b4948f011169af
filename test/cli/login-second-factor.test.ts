import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enroll, type Enrolled } from '../platform/identity/mfa/requests.js';
import { startTestPlatform, type TestPlatform } from '../support/platform.js';
import { missingTerminal, terminal } from '../support/terminal.js';
import { makeHome, type Home } from './logged-in.js';

let platform: TestPlatform;
let account: Enrolled;
let home: Home;
beforeAll(async () => {
  platform = await startTestPlatform();
  account = await enroll(platform);
  home = makeHome();
});
afterAll(async () => {
  await home.remove();
  await platform.stop();
});

const logIn = (lines: readonly string[]): ReturnType<Home['run']> =>
  home.run(['login', '--server', platform.url, '--email', account.user.email], `${lines.join('\n')}\n`);
const noTerminal = await missingTerminal();

test('plumbline login takes the code after the password from standard input', async () => {
  const { user } = account;
  const { exitCode, stdout } = await logIn([user.password, account.nextCode()]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`as ${user.email}`)]);
  expect(await logIn([user.password, account.recoveryCodes[0] ?? ''])).toMatchObject({ exitCode: 0 });
});

test('plumbline login says that a code is missing, or wrong, and stores nothing', async () => {
  const { user } = account;
  expect(await logIn([user.password])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('standard input must have a code after the password'),
  });
  expect(await logIn([user.password, '000000'])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('403 /problems/wrong-code'),
  });
});

test.skipIf(noTerminal !== undefined)(
  `plumbline login asks for the code on a terminal, again after a wrong one${noTerminal === undefined ? '' : ` (${noTerminal})`}`,
  async () => {
    const { user } = account;
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const options = ['--conditions=@plumbline/source', '--import', tsx, main];
    const command = [process.execPath, ...options, 'login', '--server', platform.url, '--email', user.email];
    const screen = terminal(command, {
      cwd: home.folder,
      env: { PATH: process.env['PATH'] ?? '', PLUMBLINE_HOME: join(home.folder, 'typed') },
    });
    await screen.shows('Password: ');
    screen.type(`${user.password}\r`);
    await screen.shows('or a recovery code: ');
    screen.type('000000\r');
    await screen.shows('The code is wrong');
    await screen.shows(/wrong[\s\S]*or a recovery code: /);
    screen.type(`${account.nextCode()}\r`);
    expect(await screen.ended).toBe(0);
    expect(screen.shown()).toContain(`as ${user.email}`);
  },
);

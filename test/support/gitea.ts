/** Gitea on the loopback interface. TEST_GITEA names its program; `.ci/gitea` builds one, with its sources beside it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { freePort } from './free-port.js';

const program = process.env['TEST_GITEA'] ?? '';

/** Why there can be none here; undefined: there can. */
export const giteaIsMissing = existsSync(program) ? undefined : 'TEST_GITEA names no program';

export interface Gitea {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** A token of the administrator, who may do everything. */
  readonly token: string;
  /** Calls the API. @param path below `/api/v1` */
  api(method: string, path: string, body?: object, token?: string): Promise<unknown>;
  /** Adds an account. @returns a token of it */
  addUser(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Gitea refuses to run as root without this. Test machines often have no other user. */
const environment = { ...process.env, GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: 'true' };

/** Starts it with an empty SQLite database. It takes a few seconds. */
export async function startGitea(): Promise<Gitea> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-gitea-'));
  const config = join(folder, 'app.ini');
  await writeFile(config, settings(folder, port));
  const command = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, ['--config', config, ...words], { env: environment });
    return stdout.trim();
  };
  const addUser = async (name: string, ...flags: string[]): Promise<string> => {
    const account = ['--username', name, '--email', `${name}@example.com`, '--random-password'];
    await command('admin', 'user', 'create', ...account, '--must-change-password=false', ...flags);
    const token = ['--username', name, '--token-name', 'test', '--scopes', 'all', '--raw'];
    return command('admin', 'user', 'generate-access-token', ...token);
  };
  await command('migrate');
  const token = await addUser('ada', '--admin');
  const child = spawn(program, ['--config', config, 'web'], { stdio: 'ignore', env: environment });
  const ended = once(child, 'exit');
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/api/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 200 });
  return {
    url,
    token,
    addUser,
    api: async (method, path, body, caller = token) => {
      const reply = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `token ${caller}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`Gitea answered ${method} ${path} with ${reply.status}: ${text}`);
      return text === '' ? null : (JSON.parse(text) as unknown);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settings(folder: string, port: number): string {
  return `
RUN_MODE = prod
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${join(dirname(program), 'src')}
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[security]
INSTALL_LOCK = true
SECRET_KEY = a secret of this test
PASSWORD_HASH_ALGO = pbkdf2
[log]
MODE = console
LEVEL = error
[api]
; Smaller than the usual 50, so that a few records are several pages.
MAX_RESPONSE_ITEMS = 7
[git]
COMMITS_RANGE_SIZE = 5
[actions]
ENABLED = true
`;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { settingDescriptions } from '../../../src/platform/server/settings.js';

/** The product as an operator runs it: `plumbline serve` from the built tree, with a separate home, without limits. */
export interface PlatformProcess {
  readonly url: string;
  readonly home: string;
  readonly pid: number;
  /** Time from the start of the process to the line that names the address. */
  readonly startedInMs: number;
  /** Stops the process; its home stays. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function startPlatformProcess(
  home?: string,
  added: Readonly<Record<string, string>> = {},
): Promise<PlatformProcess> {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'plumbline-bench-')));
  const limits = settingDescriptions.filter(({ name }) => name.endsWith('_LIMIT')).map(({ name }) => [name, 'off']);
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    PLUMBLINE_HOME: folder,
    ...Object.fromEntries(limits),
    ...added,
  };
  const started = performance.now();
  const child = spawn(process.execPath, ['dist/src/cli/main.cjs', 'serve'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await addressIn(child.stderr);
  return {
    url,
    home: folder,
    pid: child.pid ?? 0,
    startedInMs: performance.now() - started,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function addressIn(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stream)) {
    const url = /running at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('plumbline serve ended without naming its address');
}

export interface Account {
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Registers, verifies by the mail in the mailbox folder, and logs in. */
export async function createAccount({ url, home }: PlatformProcess): Promise<Account> {
  const credentials = { email: 'bench@example.com', password: 'seven quiet rivers 7' };
  await post(`${url}/api/v1/auth/register`, credentials);
  const token = await tokenInMailbox(join(home, 'mailbox'));
  await fetch(`${url}/api/v1/auth/verify?token=${token}`);
  const login: unknown = await post(`${url}/api/v1/auth/login`, credentials);
  if (typeof login !== 'object' || login === null || !('access_token' in login) || !('refresh_token' in login))
    throw new Error('cannot log in');
  return { ...credentials, accessToken: String(login.access_token), refreshToken: String(login.refresh_token) };
}

export async function post(url: string, body: object): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.json();
}

async function tokenInMailbox(folder: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [mail] = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    const token =
      mail === undefined ? undefined : /token=([\w-]+)/.exec(unfolded(await readFile(join(folder, mail), 'utf8')))?.[1];
    if (token !== undefined) return token;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('no mail came');
}

/** Undoes quoted-printable: soft line breaks, and `=3D` for the equals sign. */
function unfolded(mail: string): string {
  return mail.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
}

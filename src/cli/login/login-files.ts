/**
 * Stores the tokens of the servers that a person has logged in to: one file per server, in `logins` of the state folder.
 * Files have mode 0600, their folder 0700; a file that others can read is refused.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@plumbline/contract/system/replace-file';
import { stateFolder } from '@plumbline/contract/system/state-folder';
import type { TokenPair } from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** The tokens for a server. A service token has no refresh token. */
export interface StoredLogin extends TokenPair {
  /** The address of the server. */
  readonly server: string;
}

/** The name of the file with the address of the server that was logged in to last. */
const CURRENT = 'current';

/** The folder of the logins. */
export function loginFolder(environment: NodeJS.ProcessEnv): string {
  return join(stateFolder(environment, process.cwd()), 'logins');
}

/** The file of a server. Addresses can be long and contain characters that file names cannot. */
export function loginFile(folder: string, server: string): string {
  return join(folder, `${createHash('sha256').update(server).digest('hex').slice(0, 32)}.json`);
}

/** Creates the folder, or takes its access from others. */
export async function prepareLoginFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** @returns null when there is none. @throws UsageError for a file that others can read */
export async function readLogin(folder: string, server: string): Promise<StoredLogin | null> {
  const login = await readLoginFile(loginFile(folder, server));
  return login?.server === server ? login : null;
}

/** Reads all logins, by address. */
export async function readLogins(folder: string): Promise<StoredLogin[]> {
  const names = await readdir(folder).catch(absent([]));
  const files = names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  const logins = await Promise.all(files.map((name) => readLoginFile(join(folder, name))));
  return logins.filter((each) => each !== null).sort((a, b) => (a.server < b.server ? -1 : 1));
}

export async function writeLogin(folder: string, login: StoredLogin): Promise<void> {
  await prepareLoginFolder(folder);
  await replaceFile(loginFile(folder, login.server), `${JSON.stringify(login)}\n`);
}

export async function removeLogin(folder: string, server: string): Promise<void> {
  await rm(loginFile(folder, server), { force: true });
}

/** The server that was logged in to last; null: none. */
export async function currentServer(folder: string): Promise<string | null> {
  const text = (await readFile(join(folder, CURRENT), 'utf8').catch(absent(''))).trim();
  return text === '' ? null : text;
}

export async function setCurrentServer(folder: string, server: string): Promise<void> {
  await prepareLoginFolder(folder);
  await replaceFile(join(folder, CURRENT), `${server}\n`);
}

async function readLoginFile(file: string): Promise<StoredLogin | null> {
  const found = await stat(file).catch(absent(null));
  if (found === null) return null;
  // Windows has no such modes.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new UsageError(`${file} contains tokens, and others can read it; run chmod 600 on it, or log in again`);
  }
  return loginOf(await readFile(file, 'utf8').catch(absent('')));
}

/** null: not written by this version. */
function loginOf(text: string): StoredLogin | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('server' in value) || !('access_token' in value)) return null;
  const { server, access_token } = value;
  if (typeof server !== 'string' || typeof access_token !== 'string') return null;
  const refresh_token = 'refresh_token' in value ? value.refresh_token : undefined;
  return { server, access_token, ...(typeof refresh_token === 'string' && { refresh_token }) };
}

/** Handles the error of a file or folder that is absent. */
function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === 'ENOENT') return value;
    throw error;
  };
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { dataDirectoryArgument, runTool } from './tool.js';

/** An initialized cluster on disk: `<home>/postgres/`. */
export interface Cluster {
  readonly directory: string;
  /** PostgreSQL's own files, below the directory. */
  readonly data: string;
  readonly password: string;
  readonly durable: boolean;
}

export interface ClusterOptions {
  readonly home: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly durable: boolean;
}

/** Superuser of the cluster and name of its database. */
export const NAME = 'plumbline';

/** How old an abandoned staging directory must be before it is removed: longer than any initialization takes. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/**
 * Returns the cluster of `home`, made first if there is none.
 *
 * It is made in a directory beside its place, password included, and put there by one rename. So it exists complete
 * or not at all: a start that is killed half-way leaves nothing to repair, and of several starts at once one wins
 * while the others use what it made.
 *
 * @throws Error when `<home>/postgres` holds something else, or initdb fails.
 */
export async function ensureCluster(options: ClusterOptions): Promise<Cluster> {
  const directory = path.join(options.home, 'postgres');
  const data = path.join(directory, 'data');
  if (!existsSync(path.join(data, 'PG_VERSION'))) {
    await removeAbandoned(options.home);
    const staging = path.join(options.home, `postgres.new-${randomBytes(6).toString('hex')}`);
    try {
      await initialize(staging, options);
      await rename(staging, directory);
    } catch (error) {
      await rm(staging, { recursive: true, force: true });
      if (!existsSync(path.join(data, 'PG_VERSION'))) {
        throw new Error(`No database could be set up in ${directory}: ${messageOf(error)}`, { cause: error });
      }
    }
  }
  return { directory, data, password: readPassword(directory), durable: options.durable };
}

async function initialize(staging: string, { account, binaries, durable }: ClusterOptions): Promise<void> {
  const data = path.join(staging, 'data');
  const passwordForInitdb = path.join(staging, 'password-for-initdb');
  const password = randomBytes(24).toString('base64url');
  await mkdir(data, { recursive: true });
  // The server's account enters its own directory only; it cannot list ours or read the password kept here.
  await chmod(staging, account === undefined ? 0o700 : 0o711);
  await chmod(data, 0o700);
  await writeFile(path.join(staging, 'password'), `${password}\n`, { mode: 0o600 });
  await writeFile(passwordForInitdb, `${password}\n`, { mode: 0o600 });
  if (account !== undefined) {
    await chown(data, account.uid, account.gid);
    await chown(passwordForInitdb, account.uid, account.gid);
  }

  const directoryArgument = dataDirectoryArgument(data, account);
  await runTool({
    file: binaries.initdb,
    args: [
      `--pgdata=${directoryArgument}`,
      `--username=${NAME}`,
      '--pwfile=../password-for-initdb',
      '--auth=scram-sha-256',
      // The same order and case mapping on every machine, whatever its C library: code points, Unicode's own tables.
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    cwd: data,
    account,
  });
  await rm(passwordForInitdb);
  await runTool({
    file: binaries.postgres,
    args: ['--single', '-D', directoryArgument, 'postgres'],
    cwd: data,
    account,
    input: `CREATE DATABASE ${NAME}\n`,
  });
}

function readPassword(directory: string): string {
  const file = path.join(directory, 'password');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`The database's password cannot be read from ${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith('postgres.new-')) continue;
    const directory = path.join(home, name);
    const { mtimeMs } = await stat(directory).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY })); // just published
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(directory, { recursive: true, force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

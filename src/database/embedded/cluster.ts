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
  /** PostgreSQL's data directory, below the directory. */
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

/** The minimum age at which an abandoned staging directory is removed: longer than any initialization. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

/**
 * Returns the cluster of `home`, and creates it if necessary.
 *
 * It is created in a staging directory, including the password, and published by one rename. So it is complete or
 * absent: a start that is killed leaves nothing to repair. Of several concurrent starts, one wins and the others use
 * its cluster.
 *
 * @throws Error when `<home>/postgres` contains something else, or initdb fails.
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
        throw new Error(`Cannot create the database in ${directory}: ${messageOf(error)}`, { cause: error });
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
  // The server's account can only enter its own directory; it cannot list this one or read the password in it.
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
      // The same collation and case mapping on every machine, whatever its C library: code points, Unicode tables.
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
    throw new Error(`Cannot read the password of the database from ${file}: ${messageOf(error)}`, { cause: error });
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

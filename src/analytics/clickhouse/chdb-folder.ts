/** Loads the package `chdb`, and tracks the one directory that it can have open in a process. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '@plumbline/contract/system/is-alive';

export type ImportChdb = () => Promise<unknown>;

/** The part of the package that is used. */
export interface Chdb {
  readonly Session: new (path: string) => Session;
  /** Resolves when nothing runs and closed connections are gone. */
  drainPending(): Promise<void>;
}

/** A connection to the engine. */
export interface Session {
  queryAsync(statement: string, options: { readonly format: string }): Promise<Result>;
  queryBindAsync(statement: string, parameters: object, options: { readonly format: string }): Promise<Result>;
  insert(rows: { readonly table: string; readonly values: Buffer; readonly format: string }): Promise<unknown>;
  close(): void;
}

export interface Result {
  text(): string;
}

/** The package is not installed. The message has the command that installs it. */
export class ChdbMissing extends Error {}

interface OpenFolder {
  readonly path: string;
  readonly chdb: Promise<Chdb>;
  users: number;
}

/** State is per process, like the engine. */
let open: OpenFolder | undefined;
let closing: Promise<void> = Promise.resolve();

/**
 * Registers a user of a directory; the first one loads the package.
 *
 * @param path absolute
 * @returns the package, and a function that the user calls after it has closed its connections
 * @throws ChdbMissing; Error if another directory is open
 */
export async function enterFolder(
  path: string,
  importChdb: ImportChdb = () => import(PACKAGE),
): Promise<{ readonly chdb: Chdb; readonly leave: () => Promise<void> }> {
  await closing;
  if (open !== undefined && open.path !== path) {
    throw new Error(
      `The embedded ClickHouse in ${path} cannot be opened: this process has ${open.path} open, and chdb opens one ` +
        'directory at a time.',
    );
  }
  open ??= { path, chdb: load(importChdb), users: 0 };
  const folder = open;
  folder.users += 1;
  const leave = async (chdb: Chdb | undefined): Promise<void> => {
    folder.users -= 1;
    if (folder.users > 0) return;
    open = undefined;
    if (chdb !== undefined) closing = chdb.drainPending();
    await closing;
  };
  try {
    const chdb = await folder.chdb;
    return { chdb, leave: () => leave(chdb) };
  } catch (error) {
    await leave(undefined);
    throw error;
  }
}

/** The id of another process that has a directory open, from the engine's status file. */
export async function holderOf(path: string): Promise<number | undefined> {
  const status = await readFile(join(path, 'status'), 'utf8').catch(() => '');
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1]);
  return pid !== process.pid && isAlive(pid) ? pid : undefined;
}

/** A variable, so that the compiler does not require an optional package. */
const PACKAGE: string = 'chdb';

async function load(importChdb: ImportChdb): Promise<Chdb> {
  let loaded: unknown;
  try {
    loaded = await importChdb();
  } catch (error) {
    throw new ChdbMissing(
      'The address of the database begins with chdb:, but the package chdb is not installed. Run: npm install chdb',
      { cause: error },
    );
  }
  if (isChdb(loaded)) return loaded;
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded && isChdb(loaded.default)) {
    return loaded.default;
  }
  throw new Error('The installed package chdb is incompatible. Run: npm install chdb@^3.4.0');
}

function isChdb(loaded: unknown): loaded is Chdb {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    'Session' in loaded &&
    typeof loaded.Session === 'function' &&
    'drainPending' in loaded &&
    typeof loaded.drainPending === 'function'
  );
}

/** The package `chdb`, and the one directory that it can have open in a process. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../database/is-alive.js';

export type ImportChdb = () => Promise<unknown>;

/** The part of the package that is used. */
export interface Chdb {
  readonly Session: new (path: string) => Session;
  /** Resolves when nothing runs any more, and closed connections are gone. */
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

/** The package is not installed. Its text has the line that installs it. */
export class ChdbMissing extends Error {}

interface OpenFolder {
  readonly path: string;
  readonly chdb: Promise<Chdb>;
  users: number;
}

/** The engine is one per process, and so is what is known about it. */
let open: OpenFolder | undefined;
let closing: Promise<void> = Promise.resolve();

/**
 * Registers a user of a directory; the package is loaded for the first.
 *
 * @param path absolute
 * @returns the package, and what the user calls after it has closed its connections
 * @throws ChdbMissing; Error where another directory is open
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

/** The id of the other process that has a directory open, by the file in which the engine says so. */
export async function holderOf(path: string): Promise<number | undefined> {
  const status = await readFile(join(path, 'status'), 'utf8').catch(() => '');
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1]);
  return pid !== process.pid && isAlive(pid) ? pid : undefined;
}

/** A variable, so that the compiler does not ask for a package that need not be there. */
const PACKAGE: string = 'chdb';

async function load(importChdb: ImportChdb): Promise<Chdb> {
  let loaded: unknown;
  try {
    loaded = await importChdb();
  } catch (error) {
    throw new ChdbMissing(
      'The address of the database begins with chdb:, and the package chdb is missing. Run: npm install chdb',
      { cause: error },
    );
  }
  if (isChdb(loaded)) return loaded;
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded && isChdb(loaded.default)) {
    return loaded.default;
  }
  throw new Error('The package chdb is not the one that is expected. Run: npm install chdb@^3.4.0');
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

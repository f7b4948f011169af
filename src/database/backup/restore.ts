/** Restores a backup into an empty database. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type postgres from 'postgres';

import { parseDatabaseAddress } from '../address.js';
import type { Log } from '../log.js';
import { checkServer, migrateInTransaction, newestSchemaVersion } from '../migrate.js';
import { openSingleConnection } from '../single-connection.js';
import { decodeFrames, incomplete, notABackup, type BackupHeader, type Frame } from './frames.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface RestoreOptions {
  readonly logger: Log;
  /** Receives the additional data of the backup before anything is committed. If it throws, nothing is restored. */
  accept(extra: BackupHeader['extra']): Promise<void>;
}

export interface RestoreReport {
  readonly createdAt: string;
  readonly tables: number;
}

/**
 * Restores a backup into the empty database at `uri`, and migrates it to the schema of this release.
 *
 * All of it is one transaction: a restore that fails or is killed leaves an empty database.
 *
 * @param source its file, or its bytes
 * @throws Error when the database is not empty or read-only, when the file is not a backup or is damaged, or when a
 * newer release made it
 */
export async function restore(uri: string, source: string | Readable, options: RestoreOptions): Promise<RestoreReport> {
  const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline restore', options.logger);
  try {
    await checkServer(sql);
    await sql.unsafe(
      'begin; set local statement_timeout = 0; set local lock_timeout = 0; ' +
        'set local idle_in_transaction_session_timeout = 0',
    );
    await requireEmpty(sql);
    const report = await read(sql, source, options).catch(async (error: unknown) => {
      // A pipe can be read only once.
      if (typeof source === 'string' && (await stat(source)).isFile()) await verify(source);
      throw error;
    });
    await sql`commit`;
    await sql`analyze`;
    return report;
  } finally {
    await sql.end({ timeout: 0 }); // The server rolls back what was not committed.
  }
}

async function requireEmpty(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') limit 1`;
  if (row !== undefined) {
    throw new Error(`The database is not empty (it has ${row.name}): restore into an empty database`);
  }
}

/** Reads the whole file, so that a damaged one is reported as such, and not as the statement that it made fail. */
async function verify(file: string): Promise<void> {
  const frames = decodeFrames(uncompressed(file));
  while ((await frames.next()).done !== true);
}

async function read(sql: postgres.Sql, source: string | Readable, options: RestoreOptions): Promise<RestoreReport> {
  const frames = decodeFrames(uncompressed(source));
  const first = await frames.next();
  if (first.done === true || first.value.kind !== 'header') throw notABackup();
  const header = first.value.content;
  const known = await newestSchemaVersion();
  if (header.schemaVersion > known) {
    throw new Error(
      `The backup has schema version ${header.schemaVersion}, but this release knows only ${known}: use the newer release`,
    );
  }
  await migrateInTransaction(sql, { logger: options.logger, to: header.schemaVersion });
  const indexes = await createOtherTables(sql, header);
  const tables = await fill(sql, frames);
  for (const statement of [...indexes, ...header.sequences]) await sql.unsafe(statement);
  await migrateInTransaction(sql, { logger: options.logger });
  await options.accept(header.extra);
  return { createdAt: header.createdAt, tables };
}

async function* uncompressed(source: string | Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const reading = pipeline(typeof source === 'string' ? createReadStream(source) : source, gunzip);
  reading.catch(() => undefined); // The loop below throws this error.
  try {
    for await (const chunk of gunzip) yield chunk as Buffer; // it is not in object mode
  } catch (error) {
    const code = errorCode(error);
    if (code === 'Z_DATA_ERROR') throw notABackup(error);
    if (code === 'Z_BUF_ERROR') throw incomplete(error);
    throw error;
  }
}

/** Creates the tables that no migration has created. @returns statements for their indexes */
async function createOtherTables(sql: postgres.Sql, { definitions }: BackupHeader): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`;
  const present = new Set(rows.map(({ name }) => name));
  const missing = definitions.filter(({ name }) => !present.has(name));
  for (const { create } of missing) await sql.unsafe(create);
  return missing.flatMap(({ indexes }) => indexes);
}

type Frames = AsyncGenerator<Exclude<Frame, { kind: 'footer' }>>;

/** Fills all tables. @returns their number */
async function fill(sql: postgres.Sql, frames: Frames): Promise<number> {
  let tables = 0;
  let frame = await frames.next();
  while (frame.done !== true) {
    if (frame.value.kind !== 'table') throw notABackup();
    const { name, columns } = frame.value.content;
    const rows: Writable = await sql`copy ${sql(name)} (${sql([...columns])}) from stdin`.writable();
    rows.on('error', () => undefined); // The driver ends it with an error after `pipeline` has reported the first one.
    frame = await frames.next();
    const table = async function* (): AsyncGenerator<Buffer> {
      for (; frame.done !== true && frame.value.kind === 'data'; frame = await frames.next()) yield frame.value.content;
    };
    await pipeline(Readable.from(table()), rows);
    tables += 1;
  }
  return tables;
}

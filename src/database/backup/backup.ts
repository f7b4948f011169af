/** Writes a backup: all tables of the schema, as of one moment. */
import { link, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { createGzip, constants } from 'node:zlib';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';

import { parseDatabaseAddress } from '../address.js';
import type { Log } from '../log.js';
import { openSingleConnection } from '../single-connection.js';
import { readDefinitions, readSequences, readTables } from './catalog.js';
import { encodeFrames, formatVersion, type BackupHeader, type BackupTable, type Frame } from './frames.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface BackupOptions {
  readonly logger: Log;
  /** The time of the backup. */
  readonly now: Date;
  /** Additional data to store with the tables. */
  readonly extra: BackupHeader['extra'];
}

export interface BackupReport {
  readonly tables: number;
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Backs up the database at `uri` to `file`, which only its owner can read (mode 0600).
 *
 * All tables are read in one repeatable-read transaction, so they are consistent with each other while servers write.
 * The backup is written to `<file>.partial`, flushed to the disk, and then renamed. So `file` is complete or absent.
 *
 * @throws Error when `file` or `<file>.partial` exists, when the database was never migrated, or when a write fails
 */
export async function backup(uri: string, file: string, options: BackupOptions): Promise<BackupReport> {
  const partial = `${file}.partial`;
  if ((await stat(file).catch(() => null)) !== null) throw new Error(`${file} exists and is not overwritten`);
  const output = await create(partial);
  try {
    // `write` of a file may write only part of the chunk; `appendFile` writes all of it.
    const report = await backUpTo(uri, (chunk) => output.appendFile(chunk), options);
    await output.sync();
    // Unlike a rename, a link never replaces a file that was created meanwhile.
    await link(partial, file);
    return report;
  } finally {
    await output.close();
    await rm(partial);
  }
}

/**
 * Backs up the database at `uri` as `backup` does, to any place. Its reader must check that it is complete: `restore` does.
 *
 * @param write writes the next bytes
 */
export async function backUpTo(
  uri: string,
  write: (chunk: Buffer) => Promise<void>,
  options: BackupOptions,
): Promise<BackupReport> {
  const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline backup', options.logger);
  try {
    return await writeTables(sql, write, options);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

async function create(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new Error(`${partial} belongs to a backup that runs or was killed. If none runs, remove it`, {
      cause: error,
    });
  }
}

async function writeTables(
  sql: postgres.Sql,
  write: (chunk: Buffer) => Promise<void>,
  options: BackupOptions,
): Promise<BackupReport> {
  // Sent in one message, so that a pooler keeps the connection. Reading a large table may take longer than the role's
  // limits.
  await sql.unsafe(
    'begin isolation level repeatable read, read only; set local statement_timeout = 0; set local lock_timeout = 0; ' +
      'set local idle_in_transaction_session_timeout = 0',
  );
  const tables = await readTables(sql);
  if (tables.length === 0) throw new Error('The database is empty: there is nothing to back up');
  // Without the lock, a migration could change a table before it is read.
  for (const { name } of tables) await sql`lock table ${sql(name)} in access share mode`;
  const header: BackupHeader = {
    plumbline: 'backup',
    format: formatVersion,
    createdAt: options.now.toISOString(),
    schemaVersion: await schemaVersion(sql),
    definitions: await readDefinitions(sql),
    sequences: await readSequences(sql),
    extra: options.extra,
  };
  let bytes = 0;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      bytes += chunk.length;
      write(chunk).then(() => {
        callback();
      }, callback);
    },
  });
  // A higher level takes several times as long, and makes files only a tenth smaller.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  await pipeline(Readable.from(encodeFrames(frames(sql, header, tables))), gzip, output);
  await sql`rollback`;
  return { tables: tables.length, bytes };
}

async function* frames(
  sql: postgres.Sql,
  header: BackupHeader,
  tables: readonly BackupTable[],
): AsyncGenerator<Exclude<Frame, { kind: 'footer' }>> {
  yield { kind: 'header', content: header };
  for (const table of tables) {
    yield { kind: 'table', content: table };
    const rows = await sql`copy ${sql(table.name)} (${sql([...table.columns])}) to stdout`.readable();
    for await (const chunk of joined(rows)) yield { kind: 'data', content: chunk };
    // The driver (3.4.9) leaves its socket paused if the stream was full at its end, and would then wait forever for
    // the next reply. Calling `_read` on its stream resumes the socket.
    rows._read(0);
  }
}

const chunkBytes = 64 * 1024;

/** PostgreSQL sends each row separately; a frame per row would be slow. */
async function* joined(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const row of rows) {
    parts.push(row);
    length += row.length;
    if (length < chunkBytes) continue;
    yield Buffer.concat(parts, length);
    parts = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(parts, length);
}

async function schemaVersion(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ version: number | null }[]>`select max(version)::int as version from schema_version`;
  if (row?.version == null) throw new Error('The database was never migrated: there is nothing to back up');
  return row.version;
}

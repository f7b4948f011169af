/** The databases that the benchmarks of the sync write to, each time a new and empty one. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../../src/database/embedded.js';
import { startClickHouse } from '../../support/clickhouse-http.js';

export interface BenchDatabase {
  readonly name: string;
  /** Makes one and returns its address, as `--db` takes it; the one before is gone then. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

/** Opens what can be had here; the files are made in `folder`. */
export async function openBenchDatabases(folder: string): Promise<BenchDatabase[]> {
  const clickHouse = await startClickHouse();
  if ('missing' in clickHouse) console.log(`ClickHouse is left out: ${clickHouse.missing}`);
  return [
    await openPostgres(folder),
    openSqlite(folder),
    ...('missing' in clickHouse ? [] : [openClickHouse(clickHouse)]),
  ];
}

async function openPostgres(folder: string): Promise<BenchDatabase> {
  const server = await startEmbeddedPostgres({ home: join(folder, 'home'), logger: pino({ level: 'silent' }) });
  const admin = postgres(server.uri, { max: 1, onnotice: () => undefined });
  let last: string | undefined;
  return {
    name: 'PostgreSQL',
    create: async () => {
      if (last !== undefined) await admin`drop database ${admin(last)}`;
      last = newName();
      await admin`create database ${admin(last)} template template0`;
      // The files that were made and removed are written now, and not while the next round is measured.
      await admin`checkpoint`;
      const uri = new URL(server.uri);
      uri.pathname = `/${last}`;
      return uri.href;
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

function openSqlite(folder: string): BenchDatabase {
  return {
    name: 'SQLite',
    create: () => Promise.resolve(`sqlite:${join(folder, `${newName()}.db`)}`),
    stop: () => Promise.resolve(),
  };
}

function openClickHouse(server: { readonly uri: string; readonly stop: () => Promise<void> }): BenchDatabase {
  const address = server.uri.replace(/^clickhouse:/, 'http:').replace(/\/[^/]*$/, '/');
  const command = async (body: string): Promise<void> => {
    const reply = await fetch(address, { method: 'POST', body });
    if (!reply.ok) throw new Error(await reply.text());
  };
  let last: string | undefined;
  return {
    name: 'ClickHouse over HTTP',
    create: async () => {
      if (last !== undefined) await command(`drop database ${last}`);
      last = newName();
      await command(`create database ${last}`);
      return server.uri.replace(/\/[^/]*$/, `/${last}`);
    },
    stop: () => server.stop(),
  };
}

function newName(): string {
  return `bench_${randomBytes(6).toString('hex')}`;
}

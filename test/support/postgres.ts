import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { inject } from 'vitest';

import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { createClusterFolder } from './cluster-folder.js';

export interface TestDatabase {
  readonly uri: string;
  /** Ends every connection to the database and removes it. */
  drop(): Promise<void>;
}

/** Creates a database for a test file: migrated and empty, as a copy of the run's template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(
    (admin, name) => admin`create database ${admin(name)} template ${admin(inject('databaseTemplate'))}`,
  );
}

/** The same without any table: for tests of the migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase((admin, name) => admin`create database ${admin(name)} template template0`);
}

async function createDatabase(create: (admin: postgres.Sql, name: string) => Promise<unknown>): Promise<TestDatabase> {
  const name = `plumbline_test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) => create(admin, name));
  const uri = new URL(inject('databaseAdminUri'));
  uri.pathname = `/${name}`;
  return {
    uri: uri.href,
    drop: () => asAdmin((admin) => admin`drop database if exists ${admin(name)} with (force)`),
  };
}

async function asAdmin(work: (admin: postgres.Sql) => Promise<unknown>): Promise<void> {
  const admin = postgres(inject('databaseAdminUri'), { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

export interface OwnPostgres {
  /** Stays the same over stops and starts. */
  readonly uri: string;
  /** The folder of its files. */
  readonly data: string;
  /** Starts it again after `stop` or `crash`. */
  start(): Promise<void>;
  /** Stops it as an operator would: connections are ended, then a checkpoint. */
  stop(): Promise<void>;
  /** Ends it without a farewell, as a crash would; the next start recovers. */
  crash(): Promise<void>;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
}

/**
 * Starts a PostgreSQL that belongs to one test file, for tests that take the database away. It is not migrated.
 *
 * @param parent the folder in which its folder is created; absent: in memory, if possible
 */
export async function startOwnPostgres(parent?: string): Promise<OwnPostgres> {
  const prefix = 'plumbline-own-';
  const home = await (parent === undefined ? createClusterFolder(prefix) : mkdtemp(path.join(parent, prefix)));
  const options = { home, logger: pino({ level: 'silent' }), durable: false };
  let server = await startEmbeddedPostgres(options);
  const { uri } = server;
  return {
    uri,
    data: path.join(home, 'postgres', 'data'),
    async start() {
      server = await startEmbeddedPostgres(options);
      if (server.uri !== uri) throw new Error('The port was taken while the server was down');
    },
    stop: () => server.stop(),
    async crash() {
      process.kill(postmasterPid(home), 'SIGQUIT');
      await server.stop();
    },
    async remove() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Process id of the embedded server of a home. */
export function postmasterPid(home: string): number {
  return Number.parseInt(readFileSync(path.join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}

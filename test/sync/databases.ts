/**
 * The four kinds of database, ClickHouse in both of its forms, for tests that run on each. One that is not available on a
 * machine is skipped with the reason.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import type { DatabaseKind } from '../../src/sync/sinks/sink.js';
import { chdbMissing } from '../support/chdb.js';
import { sharedClickHouse, whyMissing } from '../support/clickhouse-http.js';
import { createEmptyDatabase } from '../support/postgres.js';

export interface Engine {
  readonly kind: DatabaseKind;
  /** The engine is in the process that opens the database: chdb, of which one is open at a time. */
  readonly inProcess?: boolean;
  /** The connection string of a new, empty database that goes with the test. */
  newDatabase(): Promise<string>;
}

interface MissingEngine extends Pick<Engine, 'kind' | 'inProcess'> {
  readonly missing: string;
}

const clickHouseMissing = whyMissing();
const mongoUri = process.env['TEST_MONGODB_URI'];

const engines: readonly (Engine | MissingEngine)[] = [
  {
    kind: 'postgres',
    newDatabase: async () => {
      const database = await createEmptyDatabase();
      onTestFinished(() => database.drop());
      return database.uri;
    },
  },
  {
    kind: 'sqlite',
    newDatabase: () => {
      const directory = mkdtempSync(join(tmpdir(), 'plumbline-sqlite-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      return Promise.resolve(`sqlite:${join(directory, 'records.db')}`);
    },
  },
  mongoUri === undefined || mongoUri === ''
    ? { kind: 'mongo', missing: 'TEST_MONGODB_URI names no server (.ci/ferretdb builds and starts one)' }
    : {
        kind: 'mongo',
        newDatabase: () => Promise.resolve(`${mongoUri.replace(/\/+$/, '')}/sync_${randomBytes(6).toString('hex')}`),
      },
  clickHouseMissing === undefined
    ? { kind: 'clickhouse', newDatabase: async () => (await sharedClickHouse()).newDatabase('sync') }
    : { kind: 'clickhouse', missing: clickHouseMissing },
  chdbMissing === null
    ? {
        kind: 'clickhouse',
        inProcess: true,
        newDatabase: () => {
          const directory = mkdtempSync(join(tmpdir(), 'plumbline-chdb-'));
          onTestFinished(() => rm(directory, { recursive: true, force: true }));
          return Promise.resolve(`chdb:${join(directory, 'records')}`);
        },
      }
    : { kind: 'clickhouse', inProcess: true, missing: chdbMissing },
];

/** Describes a behaviour on every kind of database that can be had here. */
export function describeOnEachDatabase(behaviour: string, tests: (engine: Engine) => void): void {
  for (const engine of engines) {
    const name = engine.inProcess === true ? `${engine.kind} in this process` : engine.kind;
    if ('missing' in engine)
      describe.skip(`${behaviour} on ${name} (skipped: ${engine.missing})`, () => {
        tests(engine as never);
      });
    else
      describe(`${behaviour} on ${name}`, () => {
        tests(engine);
      });
  }
}

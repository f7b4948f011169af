/** The four engines of the analytics for tests that run on each. An engine that is not available is skipped with the reason. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import type { AnalyticsAddress } from '../../src/analytics/address.js';
import type { Exclusively, StoreOptions } from '../../src/analytics/store/options.js';
import { chdbMissing, importConnector } from '../support/chdb.js';
import { sharedClickHouse, whyMissing } from '../support/clickhouse-http.js';
import { createEmptyDatabase } from '../support/postgres.js';

export type EngineKind = AnalyticsAddress['kind'];

export interface AnalyticsEngine {
  readonly kind: EngineKind;
  /** The address of a new, empty store that goes with the test file. */
  newUri(): Promise<string>;
}

/** What stores and analytics are opened with in tests. */
export const openOptions: StoreOptions = {
  now: Date.now,
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  importChdb: () => importConnector('chdb'),
  exclusively: alone,
};

/** For stores that no other process opens. */
export function alone(...[work]: Parameters<Exclusively>): ReturnType<Exclusively> {
  return work(() => Promise.resolve());
}

function ignore(): void {
  // Nobody reads it.
}

const clickHouseMissing = whyMissing();

/** All four, each with what is missing for it. For the test file, or the part of it, that calls this. */
export function allEngines(): readonly (AnalyticsEngine | { readonly kind: EngineKind; readonly missing: string })[] {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const clean of cleanups.toReversed()) await clean();
  });
  const newDirectory = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'plumbline-analytics-'));
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    return directory;
  };
  const newPostgres = async (): Promise<string> => {
    const database = await createEmptyDatabase();
    cleanups.push(() => database.drop());
    return database.uri;
  };
  return [
    { kind: 'postgres', newUri: newPostgres },
    { kind: 'sqlite', newUri: () => Promise.resolve(`sqlite:${join(newDirectory(), 'analytics.db')}`) },
    clickHouseMissing === undefined
      ? { kind: 'clickhouse', newUri: async () => (await sharedClickHouse()).newDatabase('analytics') }
      : { kind: 'clickhouse', missing: clickHouseMissing },
    chdbMissing === null
      ? { kind: 'chdb', newUri: () => Promise.resolve(`chdb:${join(newDirectory(), 'analytics')}`) }
      : { kind: 'chdb', missing: chdbMissing },
  ];
}

/** Describes a behaviour on every engine that can be had here. */
export function describeOnEachEngine(behaviour: string, tests: (engine: AnalyticsEngine) => void): void {
  for (const engine of allEngines()) {
    if ('missing' in engine) {
      describe.skip(`${behaviour} on ${engine.kind} (skipped: ${engine.missing})`, () => {
        tests({ kind: engine.kind, newUri: () => Promise.reject(new Error(engine.missing)) });
      });
    } else {
      describe(`${behaviour} on ${engine.kind}`, () => {
        tests(engine);
      });
    }
  }
}

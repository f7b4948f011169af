/** What the tests of the sync share: dependencies whose time is not slept, requests, and what is stored. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { outboundFetch } from '../../src/contract/outbound/outbound-fetch.js';
import { TABLES, type AnyRow } from '../../src/sync/records.js';
import { parseSyncRequest } from '../../src/sync/request.js';
import type { SyncRequest } from '../../src/sync/sync-request.js';
import type { SyncOptions } from '../../src/sync/options.js';
import { runSync } from '../../src/sync/run.js';
import { parseConnection } from '../../src/sync/sinks/connection-string.js';
import { openSink } from '../../src/sync/sinks/open.js';
import type { Sink, SinkPage } from '../../src/sync/sinks/sink.js';
import type { SyncSummary } from '../../src/sync/summary.js';
import type { SyncDependencies } from '../../src/sync/dependencies.js';
import { importConnector } from '../support/chdb.js';
import { GIT_TEST_ENVIRONMENT } from '../support/git-history.js';

/** Noon of a Wednesday. */
export const NOW = Date.UTC(2026, 0, 14, 12);

export type TestDependencies = SyncDependencies & { readonly slept: number[] };

/** Time stands still but for what is slept, which takes no time at all. */
export function testDependencies(changes: Partial<SyncDependencies> = {}): TestDependencies {
  let time = NOW;
  const slept: number[] = [];
  return {
    now: () => time,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      slept.push(milliseconds);
      time += milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
    },
    random: () => 0.5,
    fetch: outboundFetch('any'),
    newId: randomUUID,
    signal: new AbortController().signal,
    progress: {},
    environment: GIT_TEST_ENVIRONMENT,
    importConnector,
    slept,
    ...changes,
  };
}

/** Dependencies that keep the notes of a sync. */
export function noted(): { readonly notes: readonly string[]; readonly dependencies: SyncDependencies } {
  const notes: string[] = [];
  return { notes, dependencies: testDependencies({ progress: { note: (text) => void notes.push(text) } }) };
}

/** The request for these options; a wrong one fails the test with its problems. */
export function requestFor(options: SyncOptions, environment: Record<string, string> = {}): SyncRequest {
  const parsed = parseSyncRequest(options, environment, NOW);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.request;
}

/** Runs a sync with these options. */
export function sync(
  options: SyncOptions,
  dependencies: SyncDependencies = testDependencies(),
  environment: Record<string, string> = {},
): Promise<SyncSummary> {
  return runSync(requestFor(options, environment), dependencies);
}

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-sync-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A new SQLite database, as `--db` takes it. */
export function sqliteUri(): string {
  return `sqlite:${join(temporaryDirectory(), 'records.db')}`;
}

/** Opens a database beside the syncs; it is closed with the test. */
export async function openDatabase(uri: string, now: () => number = () => NOW): Promise<Sink> {
  const sink = await openReady(uri, now);
  onTestFinished(() => sink.close());
  return sink;
}

/** Stores a page like a separate process: opens the database only for that. */
export async function applyOnce(uri: string, page: SinkPage): Promise<void> {
  const sink = await openReady(uri, () => NOW);
  try {
    await sink.apply(page);
  } finally {
    await sink.close();
  }
}

async function openReady(uri: string, now: () => number): Promise<Sink> {
  const address = parseConnection(uri);
  if ('problem' in address) throw new Error(address.problem);
  const sink = await openSink(address, { now, concurrency: 1, echo: undefined }, testDependencies());
  await sink.ensureSchema();
  return sink;
}

export type Stored = Readonly<Record<string, readonly AnyRow[]>>;

/** All rows of a repository by table, in key order, without the time at which they were written. */
export async function storedRows(uri: string, repoId: string): Promise<Stored> {
  const sink = await openReady(uri, () => NOW);
  try {
    return await rowsByTable(sink, repoId);
  } finally {
    await sink.close();
  }
}

async function rowsByTable(sink: Sink, repoId: string): Promise<Stored> {
  const stored: Record<string, AnyRow[]> = {};
  for (const table of TABLES) {
    const rows: AnyRow[] = [];
    for await (const batch of sink.scan(table, repoId)) {
      for (const row of batch) {
        rows.push(Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'last_synced')));
      }
    }
    if (rows.length > 0) stored[table.name] = rows.sort((a, b) => compare(keyOf(a, table.key), keyOf(b, table.key)));
  }
  return stored;
}

function keyOf(row: AnyRow, key: readonly string[]): string {
  return key.map((name) => textOf(row[name])).join('\0');
}

/** Engines sort texts by different collations: here they are compared by code unit. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The id of the one repository of a summary. */
export function onlyId(summary: SyncSummary): string {
  const [repository] = summary.repositories;
  if (summary.repositories.length !== 1 || typeof repository?.id !== 'string') {
    throw new Error(`One repository was expected: ${JSON.stringify(summary)}`);
  }
  return repository.id;
}

/** A value of a row as text; numbers with leading zeros, so that they sort. */
function textOf(value: AnyRow[string] | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value).padStart(12, '0');
}

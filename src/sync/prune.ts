/**
 * Removes the commits that a source no longer reaches because its history was rewritten: their records, links and work
 * units, and the requests that a clone inferred from them.
 *
 * The source first lists everything that it reaches. Nothing is removed unless that list is complete. Then the
 * unreachable commits are removed in batches. Each batch is written down before it is removed, so that the next sync
 * completes the batch of a killed one, and a list that fails removes nothing.
 */
import type { PartialReach, Reach, Reachable } from './providers/provider.js';
import { tableNamed, type AnyRow, type JsonValue, type TableName } from './records.js';
import type { Sink, StateKey, StoredKey, SyncState } from './sinks/sink.js';
import type { TimeWindow } from './time-window.js';
import { deriveRemoved } from './work-units/derivation/derivation.js';
import type { DerivationResources } from './work-units/derivation/resources.js';
import { numberOf, textOf } from './work-units/row-values.js';

/** A database from which commits are removed. */
export interface PrunedDatabase {
  readonly sink: Sink;
  /** Absent if no work units are derived in this database. */
  readonly units: DerivationResources | undefined;
}

/** What is removed from one database. */
export interface Removed {
  readonly commits: number;
  /** Requests that a clone inferred from these commits. */
  readonly requests: number;
}

export interface PruneOptions {
  readonly window: TimeWindow;
  /** The limits of the sync, as in its state. */
  readonly fingerprint: string;
  readonly newId: () => string;
  /** Call it before each step. @throws when the sync was stopped or has lost its lock */
  readonly assertHeld: () => Promise<void>;
}

/** Commits that are removed together. */
const BATCH = 1000;

/**
 * Removes the commits that the source of the key reported last, that lie in the window, and that it no longer reaches.
 *
 * @returns why nothing was removed, if the source cannot list everything that it reaches
 */
export async function prune(
  database: PrunedDatabase,
  key: StateKey,
  reach: Reach,
  options: PruneOptions,
): Promise<Removed | PartialReach> {
  const { sink } = database;
  const stored = await sink.readState(pruneKey(key));
  const isUnchanged = stored?.done === true && stored.request === options.fingerprint;
  if (isUnchanged && refsOf(stored) === reach.refs) return { commits: 0, requests: 0 };
  const reachable = await reach.list();
  if ('partial' in reachable) return reachable;
  const unreachable = await unreachableCommits(sink, key, reachable, options);
  let requests = 0;
  for (let start = 0; start < unreachable.length; start += BATCH) {
    const batch = await batchOf(sink, key, unreachable.slice(start, start + BATCH));
    await options.assertHeld();
    await writeState(sink, key, options, { batch: { ...batch } }, false);
    await removeBatch(database, key, batch, options);
    requests += batch.requests.length;
  }
  await writeState(sink, key, options, { refs: reach.refs }, true);
  return { commits: unreachable.length, requests };
}

/** Completes the removal of a batch that was interrupted. */
export async function resumePrune(
  database: PrunedDatabase,
  key: StateKey,
  options: Omit<PruneOptions, 'window'>,
): Promise<void> {
  const stored = await database.sink.readState(pruneKey(key));
  if (stored === undefined || stored.done) return;
  const batch = parseBatch(stored);
  if (batch !== undefined) await removeBatch(database, key, batch, options);
  // Not the refs: the next prune lists the rest.
  await writeState(database.sink, key, options, {}, true);
}

/** The unreachable commits of one step. */
interface Batch {
  readonly hashes: readonly string[];
  /** Numbers of the requests that a clone inferred from them, and that go with them. */
  readonly requests: readonly number[];
  /** Numbers of the other requests that they belong to, whose units change. */
  readonly affected: readonly number[];
}

/** All columns are read only where the database cannot read a part of them. */
function rowsOf(
  sink: Sink,
  name: TableName,
  repoId: string,
  columns: readonly string[],
): AsyncIterable<readonly AnyRow[]> {
  const table = tableNamed(name);
  return sink.derivation?.rows({ table, repoId, columns, where: { kind: 'all' } }) ?? sink.scan(table, repoId);
}

async function unreachableCommits(
  sink: Sink,
  { repoId, source }: StateKey,
  reachable: Reachable,
  { window, assertHeld }: PruneOptions,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const rows of rowsOf(sink, 'git_commits', repoId, ['hash', 'committer_when', 'source'])) {
    await assertHeld();
    for (const row of rows) {
      const when = numberOf(row, 'committer_when');
      const isListed = when >= (window.since ?? -Infinity) && when < (window.until ?? Infinity);
      const hash = textOf(row, 'hash');
      if (row['source'] === source && isListed && !reachable.has(hash)) found.push(hash);
    }
  }
  return found;
}

async function batchOf(sink: Sink, { repoId, source }: StateKey, hashes: readonly string[]): Promise<Batch> {
  const among = new Set(hashes);
  const requests: number[] = [];
  const affected: number[] = [];
  for await (const rows of rowsOf(sink, 'git_pull_requests', repoId, REQUEST_COLUMNS)) {
    for (const row of rows) {
      const isInferred = source === 'local' && row['source'] === 'local' && among.has(textOf(row, 'merge_hash'));
      if (isInferred) requests.push(numberOf(row, 'number'));
      else if (listedHashes(row).some((hash) => among.has(hash))) affected.push(numberOf(row, 'number'));
    }
  }
  return { hashes, requests, affected };
}

const REQUEST_COLUMNS = ['number', 'source', 'head_hash', 'merge_hash', 'commit_hashes'];

function listedHashes(row: AnyRow): readonly string[] {
  const listed = row['commit_hashes'];
  const hashes = Array.isArray(listed) ? listed.filter((hash) => typeof hash === 'string') : [];
  return [...hashes, textOf(row, 'head_hash'), textOf(row, 'merge_hash')];
}

/** Can be repeated: what another source has reported since is left alone. */
async function removeBatch(
  { sink, units }: PrunedDatabase,
  { repoId, source }: StateKey,
  { hashes, requests, affected }: Batch,
  { assertHeld }: Pick<PruneOptions, 'assertHeld'>,
): Promise<void> {
  await assertHeld();
  const sources = [source];
  if (requests.length > 0)
    await sink.remove(tableNamed('git_pull_requests'), repoId, { merge_hash: hashes, source: sources });
  await sink.remove(tableNamed('git_commit_stats'), repoId, { commit_hash: hashes, source: sources });
  await sink.remove(tableNamed('git_commits'), repoId, { hash: hashes, source: sources });
  if (units !== undefined) await deriveRemoved(units, repoId, { hashes, requests: [...requests, ...affected] });
}

function pruneKey(key: StateKey): StoredKey {
  return { ...key, target: 'prune' };
}

function writeState(
  sink: Sink,
  key: StateKey,
  { fingerprint, newId }: Pick<PruneOptions, 'fingerprint' | 'newId'>,
  position: JsonValue,
  done: boolean,
): Promise<void> {
  const state: SyncState = { revision: newId(), request: fingerprint, position, done };
  return sink.apply({ key: pruneKey(key), tables: [], blameLengths: [], state });
}

function refsOf({ position }: SyncState): unknown {
  return typeof position === 'object' && position !== null && 'refs' in position ? position.refs : undefined;
}

function parseBatch({ position }: SyncState): Batch | undefined {
  const batch: unknown = typeof position === 'object' && position !== null ? Reflect.get(position, 'batch') : undefined;
  if (typeof batch !== 'object' || batch === null) return undefined;
  const list = (name: keyof Batch): readonly unknown[] => {
    const value: unknown = Reflect.get(batch, name);
    return Array.isArray(value) ? value : [];
  };
  const numbers = (name: 'requests' | 'affected'): readonly number[] =>
    list(name).filter((value) => typeof value === 'number');
  const hashes = list('hashes').filter((value) => typeof value === 'string');
  return { hashes, requests: numbers('requests'), affected: numbers('affected') };
}

/**
 * Removes the commits that a source no longer reaches because its history was rewritten: their records, links and work
 * units, and the requests that a clone inferred from them.
 *
 * The source first lists everything that it reaches. Nothing is removed unless that list is complete. Then the
 * unreachable commits are removed in batches. Each batch is written down before it is removed, so that the next sync
 * completes the batch of a killed one, and a list that fails removes nothing.
 */
import type { PartialReach, Reach, Reachable } from './providers/provider.js';
import { tableNamed, type AnyRow, type JsonValue, type RequestEvidence, type TableName } from './records.js';
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

export interface Pruned extends Removed {
  /** Commits that are kept because this clone does not have them. */
  readonly kept: number;
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
): Promise<Pruned | PartialReach> {
  const { sink } = database;
  const { branch } = reach;
  const stored = await sink.readState(pruneKey(key));
  const before = textAt(stored, 'branch');
  if (branch !== null && before !== undefined && before !== branch) {
    await writeState(sink, key, options, { branch }, true);
    return { partial: `the default branch has changed from ${before} to ${branch}` };
  }
  const isUnchanged = stored?.done === true && stored.request === options.fingerprint;
  if (isUnchanged && textAt(stored, 'refs') === reach.refs) return { commits: 0, requests: 0, kept: 0 };
  const reachable = await reach.list();
  if ('partial' in reachable) return reachable;
  const candidates = await unreachableCommits(sink, key, reachable, options);
  const known = await reach.known?.(candidates);
  const unreachable = known === undefined ? candidates : candidates.filter((hash) => known.has(hash));
  const kept = candidates.length - unreachable.length;
  let requests = 0;
  for (let start = 0; start < unreachable.length; start += BATCH) {
    const batch = await batchOf(sink, key, unreachable.slice(start, start + BATCH));
    await options.assertHeld();
    await writeState(sink, key, options, { batch: { ...batch }, branch }, false);
    await removeBatch(database, key, batch, options);
    requests += batch.requests.length;
  }
  // Another copy with the same refs may have the commits that are kept: its prune must not be skipped.
  await writeState(sink, key, options, { ...(kept === 0 ? { refs: reach.refs } : {}), branch }, true);
  return { commits: unreachable.length, requests, kept };
}

/** Call it before commits are stored: the next prune then lists what the source reaches, even if its refs are as before. */
export async function reopenPrune(sink: Sink, key: StateKey, options: Omit<PruneOptions, 'window'>): Promise<void> {
  const stored = await sink.readState(pruneKey(key));
  if (stored?.done !== true || textAt(stored, 'refs') === undefined) return;
  await writeState(sink, key, options, { branch: textAt(stored, 'branch') ?? null }, true);
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
  await writeState(database.sink, key, options, { branch: textAt(stored, 'branch') ?? null }, true);
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
      const ending = row['evidence'] === OPEN ? 'head_hash' : 'merge_hash';
      const isInferred = source === 'local' && row['source'] === 'local' && among.has(textOf(row, ending));
      if (isInferred) requests.push(numberOf(row, 'number'));
      else if (listedHashes(row).some((hash) => among.has(hash))) affected.push(numberOf(row, 'number'));
    }
  }
  return { hashes, requests, affected };
}

const REQUEST_COLUMNS = ['number', 'source', 'evidence', 'head_hash', 'merge_hash', 'commit_hashes'];

/** The evidence of a request that a clone knows from a fetched ref alone, so that it counts as open. */
const OPEN: RequestEvidence = 'ref';

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
  if (requests.length > 0) {
    const table = tableNamed('git_pull_requests');
    await sink.remove(table, repoId, { merge_hash: hashes, source: sources });
    await sink.remove(table, repoId, { head_hash: hashes, evidence: [OPEN], source: sources });
    await readRequestsAgain(sink, { repoId, target: 'prs', source });
  }
  await sink.remove(tableNamed('git_commit_stats'), repoId, { commit_hash: hashes, source: sources });
  await sink.remove(tableNamed('git_commits'), repoId, { hash: hashes, source: sources });
  if (units !== undefined) await deriveRemoved(units, repoId, { hashes, requests: [...requests, ...affected] });
}

/**
 * Otherwise the next `sync prs` would begin behind the commits of the removed requests, also if the history is restored.
 * The revision stays: the pages of two databases are as equal as before.
 */
async function readRequestsAgain(sink: Sink, key: StateKey): Promise<void> {
  const stored = await sink.readState(key);
  if (stored === undefined) return;
  const state: SyncState = { ...stored, request: 'pruned', position: null, done: false };
  await sink.apply({ key, tables: [], blameLengths: [], state });
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

function textAt(state: SyncState | undefined, name: 'refs' | 'branch'): string | undefined {
  const position = state?.position ?? null;
  const value: unknown = typeof position === 'object' && position !== null ? Reflect.get(position, name) : undefined;
  return typeof value === 'string' ? value : undefined;
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

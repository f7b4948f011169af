/** The sync of one repository: takes the lock, repairs the secondary, then stores page after page. */
import { inSpan } from '@plumbline/contract/system/tracing';
import { cleanedUp } from './cleaned-up.js';
import { SyncError, failureOf, isWithheld } from './failures.js';
import { distinctName, isOfDirectory, repositoryId } from './identity.js';
import { followHistory } from './known-history.js';
import {
  prune,
  reopenPrune,
  resumePrune,
  type Pruned,
  type PruneOptions,
  type PrunedDatabase,
  type Removed,
} from './prune.js';
import type { OpenRepository, PartialReach, Reach, RepositorySource } from './providers/provider.js';
import { readAhead } from './read-ahead.js';
import { repairSecondary } from './repair.js';
import { providerNamed } from './providers/registry.js';
import type { SyncRequest } from './sync-request.js';
import type { Sink, SinkPage, StateKey, SyncState } from './sinks/sink.js';
import { LOCK_POLL_MILLISECONDS, waitForLock } from './sinks/wait-for-lock.js';
import { stampedPage } from './stamped-page.js';
import type { CountedName, RepositorySummary } from './summary.js';
import type { Target } from './targets.js';
import { askedSince } from './time-window.js';
import type { SyncDependencies } from './dependencies.js';
import type { DerivedSync, SyncedSource } from './work-units/derivation/derivation.js';
import { beginDerivation } from './work-units/derivation/derivation.js';
import type { DerivationResources } from './work-units/derivation/resources.js';

export interface SyncContext {
  readonly request: SyncRequest;
  readonly dependencies: SyncDependencies;
  readonly primary: Sink;
  /** Absent without `--sink both`; an error if it could not be opened. */
  readonly secondary: Sink | Error | undefined;
  /** Derives the work units in the primary; absent if the analytics do not support its engine. */
  readonly units: DerivationResources | undefined;
  /** The same for the secondary; an error if it could not be opened. */
  readonly secondaryUnits: DerivationResources | Error | undefined;
}

/** Enough to bridge short delays of a database (a checkpoint, a merge), and few enough to need little memory. */
const PAGES_AHEAD = 8;

/** Syncs one repository. Failures become part of its summary; only an abort is thrown. */
export function syncRepository(source: RepositorySource, context: SyncContext): Promise<RepositorySummary> {
  const { target, provider } = context.request;
  const attributes = { 'plumbline.sync.target': target, 'plumbline.sync.provider': provider };
  return inSpan('sync repository', { kind: 'internal', attributes }, async (span) => {
    const summary = await syncTraced(source, context);
    if (summary.error !== null) span?.fail(summary.error.code);
    return summary;
  });
}

async function syncTraced(source: RepositorySource, context: SyncContext): Promise<RepositorySummary> {
  const { request, dependencies } = context;
  const result: Stored = { counts: {}, notes: [] };
  let name = source.name;
  let id: string | null = null;
  let problem: unknown;
  let removed: Removed | undefined;
  try {
    const opened = await source.open();
    id = repositoryId(request.orgId, opened.identity.identity);
    const repository = await distinctlyNamed(opened, id, context);
    name = repository.identity.name;
    ({ problem, removed } = await syncOpened(repository, id, context, result));
  } catch (error) {
    dependencies.signal.throwIfAborted();
    problem = error;
  }
  const error = problem === undefined ? null : failureOf(problem, request.secrets);
  dependencies.progress.repositoryFinished?.({ name, error: error?.message ?? null });
  const status = error === null ? 'ok' : 'failed';
  return {
    id,
    name,
    status,
    records: result.counts,
    ...(result.notes.length === 0 ? {} : { notes: result.notes }),
    ...(removed === undefined ? {} : { removed }),
    error,
  };
}

/** The clone with a name that no other repository of the organization has, if figures are made from the database. */
async function distinctlyNamed(
  repository: OpenRepository,
  repoId: string,
  { request, units }: SyncContext,
): Promise<OpenRepository> {
  const { identity, record } = repository;
  if (!isOfDirectory(identity) || units === undefined) return repository;
  const stored = await units.records.repositories(request.orgId);
  const others = new Set(stored.filter(({ id }) => id !== repoId).map(({ name }) => name));
  const name = distinctName(identity, stored.find(({ id }) => id === repoId)?.name, others);
  return { ...repository, identity: { ...identity, name }, record: { ...record, repo: name } };
}

/** What a sync has stored so far, and its notes. */
interface Stored {
  readonly counts: Counts;
  readonly notes: string[];
}

interface Synced {
  /** The problem of the secondary, if any; a problem of the primary is thrown. */
  readonly problem: SyncError | undefined;
  /** What a prune removed from the primary, if one was made. */
  readonly removed: Removed | undefined;
}

async function syncOpened(
  repository: OpenRepository,
  repoId: string,
  context: SyncContext,
  result: Stored,
): Promise<Synced> {
  const { request, dependencies, primary } = context;
  const key: StateKey = { repoId, target: request.target, source: request.provider };
  const { name } = repository.identity;
  const lock = await waitForLock(primary, key, dependencies, () => {
    dependencies.progress.waiting?.({
      reason: `another sync of ${name} is running`,
      seconds: LOCK_POLL_MILLISECONDS / 1000,
    });
  });
  let units: DerivedSync | undefined;
  const work = async (): Promise<Synced> => {
    const fingerprint = fingerprintOf(request);
    const options: PruneOptions = {
      window: request.window,
      fingerprint,
      newId: dependencies.newId,
      assertHeld: () => lock.assertHeld(),
    };
    if (key.target === 'git') await resumePrune({ sink: primary, units: context.units }, key, options);
    const stored = await primary.readState(key);
    // The files are needed for derivation only.
    const isDerived = (context.units ?? context.secondaryUnits) !== undefined;
    const synced: SyncedSource = {
      codeowners: isDerived ? await repository.codeowners?.() : undefined,
      mailmap: isDerived ? await repository.mailmap?.() : undefined,
      isInOrder: repository.isInOrder === true,
    };
    const secondary = await openSecondary(key, stored, synced, context, options);
    const start = stored?.request === fingerprint ? { position: stored.position, done: stored.done } : undefined;
    dependencies.progress.repositoryStarted?.({ name, target: request.target, resumed: start?.done === false });
    if (context.units !== undefined) units = await beginDerivation(context.units, key, synced);
    const historyAfter = followHistory(stored, start !== undefined, request, dependencies.now());
    const run = dependencies.newId();
    let pageNumber = 0;
    let revision = stored?.revision;
    const since = Math.max(units?.since ?? 0, secondary.since());
    let failure: { readonly error: unknown } | undefined;
    const note = (text: string): void => {
      result.notes.push(text);
      dependencies.progress.note?.(`${name} (${request.target}): ${text}`);
    };
    const pages = untilFailure(readAhead(repository.pages(start), PAGES_AHEAD), (error) => {
      dependencies.signal.throwIfAborted();
      if (pageNumber === 0 && !HISTORY.has(request.target) && isWithheld(error)) note(withheldNote(error));
      else failure = { error };
    });
    for await (const page of pages) {
      dependencies.signal.throwIfAborted();
      pageNumber += 1;
      const state: SyncState = {
        revision: `${run}:${pageNumber}`,
        request: fingerprint,
        position: page.position,
        done: page.done,
        ...historyAfter(page),
      };
      const time = Math.max(since, dependencies.now());
      const record = pageNumber === 1 ? repository.record : undefined;
      const sinkPage = stampedPage({ ...page, record }, { key, state, time, orgId: request.orgId });
      await inSpan(
        'store sync page',
        { kind: 'internal', attributes: pageAttributes(sinkPage, pageNumber) },
        async () => {
          await lock.assertHeld();
          if (hasCommits(sinkPage)) await reopenPrune(primary, key, options);
          await primary.apply(sinkPage);
          await units?.stored(sinkPage);
          await secondary.apply(sinkPage);
        },
      );
      revision = state.revision;
      addCounts(result.counts, sinkPage);
      if (page.note !== undefined) note(page.note);
      dependencies.progress.pageStored?.({ name, records: { ...result.counts }, expected: page.expected ?? null });
    }
    const derive = async (): Promise<void> => {
      if (revision === undefined) return;
      if (units !== undefined) dependencies.progress.derivationStarted?.({ name });
      const written = (await units?.finish(revision)) ?? 0;
      if (written > 0) result.counts.work_units = written;
      await secondary.derive(revision);
    };
    // What is stored becomes work units also if the source failed; its failure is the one that is reported.
    await cleanedUp(() => {
      if (failure !== undefined) throw failure.error;
    }, derive);
    const removed = request.prune ? await pruneAll(repository, key, context, options, secondary) : undefined;
    return { problem: secondary.problem(), removed };
  };
  return cleanedUp(work, () => Promise.all([units?.close(), lock.release()]));
}

/** What every repository has. A host that refuses it refuses the repository. */
const HISTORY: ReadonlySet<Target> = new Set(['git', 'blame']);

function withheldNote({ status }: SyncError): string {
  return `not read: the host answers with status ${status}, so it is disabled for this repository, or hidden from the token`;
}

/** Yields the items of the source. Its failure ends them and goes to `onFailure`; that of the consumer does not. */
async function* untilFailure<Item>(
  source: AsyncIterable<Item>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Item> {
  try {
    yield* source;
  } catch (error) {
    onFailure(error);
  }
}

/** Removes unreachable commits from both databases, if the source can list all that it reaches. */
async function pruneAll(
  repository: OpenRepository,
  key: StateKey,
  { dependencies, primary, units }: SyncContext,
  options: PruneOptions,
  secondary: Secondary,
): Promise<Removed | undefined> {
  const note = (text: string): void => dependencies.progress.note?.(`${repository.identity.name} (git): ${text}`);
  const reach = await repository.reachable?.();
  if (reach === undefined) return undefined;
  let listed: ReturnType<Reach['list']> | undefined;
  const pruneOne = async (database: PrunedDatabase): Promise<Pruned | PartialReach> =>
    'partial' in reach ? reach : prune(database, key, { ...reach, list: () => (listed ??= reach.list()) }, options);
  const removed = await pruneOne({ sink: primary, units });
  if ('partial' in removed) {
    note(`no commits are removed, because ${removed.partial}`);
    return undefined;
  }
  await secondary.prune(pruneOne);
  const { commits, requests, kept } = removed;
  if (commits > 0) {
    const parts = [counted(commits, 'commit'), ...(requests > 0 ? [counted(requests, 'request')] : [])];
    note(`removed ${parts.join(' and ')} that the rewritten history no longer has`);
  }
  if (kept > 0) note(`kept ${counted(kept, 'unreachable commit')} that this clone does not have`);
  return { commits, requests };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type Counts = Partial<Record<CountedName, number>>;

interface Secondary {
  /** See `DerivedSync.since`. */
  since(): number;
  apply(page: SinkPage): Promise<void>;
  /** Derives the work units of the stored pages; see `DerivedSync.finish`. */
  derive(revision: string): Promise<void>;
  prune(action: (database: PrunedDatabase) => Promise<unknown>): Promise<void>;
  problem(): SyncError | undefined;
}

/** The secondary database. It is repaired first, and no longer used after a failure. */
async function openSecondary(
  key: StateKey,
  stored: SyncState | undefined,
  synced: SyncedSource,
  context: SyncContext,
  options: PruneOptions,
): Promise<Secondary> {
  const { primary, secondary, secondaryUnits, dependencies } = context;
  let problem: SyncError | undefined;
  const attempt = async (action: (sink: Sink) => Promise<void>): Promise<void> => {
    if (secondary === undefined || problem !== undefined) return;
    try {
      if (secondary instanceof Error) throw secondary;
      await action(secondary);
    } catch (error) {
      dependencies.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      problem = new SyncError(
        'secondary_failed',
        `Stored in the primary database, but not in the secondary: ${reason}`,
        { cause: error },
      );
    }
  };
  let units: DerivedSync | undefined;
  await attempt(async (sink) => {
    if (secondaryUnits instanceof Error) throw secondaryUnits;
    if (key.target === 'git') await resumePrune({ sink, units: secondaryUnits }, key, options);
    await repairSecondary(primary, sink, key, stored, dependencies, () =>
      key.target === 'git' ? reopenPrune(sink, key, options) : Promise.resolve(),
    );
    // Not while the history is read: a process that holds the lock of one database must not wait for a lock of another.
    if (secondaryUnits !== undefined)
      units = await beginDerivation(secondaryUnits, key, { ...synced, isInOrder: false });
  });
  return {
    since: () => units?.since ?? 0,
    apply: (page: SinkPage) =>
      attempt(async (sink) => {
        if (hasCommits(page)) await reopenPrune(sink, key, options);
        await sink.apply(page);
      }),
    derive: (revision) =>
      attempt(async () => {
        await units?.finish(revision);
      }),
    prune: (action) =>
      attempt(async (sink) => {
        if (secondaryUnits instanceof Error) throw secondaryUnits;
        await action({ sink, units: secondaryUnits });
      }),
    problem: () => problem,
  };
}

/** A fingerprint of the limits. A sync does not resume from a position that was reached under other limits. */
function fingerprintOf({ window, period, maxCommits, selection, target, provider }: SyncRequest): string {
  const also = providerNamed(provider)?.readSince?.[target];
  // A period begins later with each sync. What an earlier one read of it remains known.
  const since = period === undefined ? askedSince(window) : undefined;
  return JSON.stringify({ since, period, until: window.until, maxCommits, seed: selection.seed, also });
}

function hasCommits({ tables }: SinkPage): boolean {
  return tables.some(({ table }) => table.name === 'git_commits');
}

function pageAttributes({ tables }: SinkPage, number: number): Record<string, number> {
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  return { 'plumbline.sync.page': number, 'plumbline.sync.rows': rows };
}

function addCounts(counts: Counts, page: SinkPage): void {
  for (const { table, rows } of page.tables) counts[table.name] = (counts[table.name] ?? 0) + rows.length;
}

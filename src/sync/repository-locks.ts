/** The locks of everything that writes records or work units of one repository. */
import type { SyncDependencies } from './dependencies.js';
import { tableNamed } from './records.js';
import type { LockKey, Sink } from './sinks/sink.js';
import { tryRenewedLock, waitForLock, type RenewedLock } from './sinks/wait-for-lock.js';
import { PROVIDER_NAMES, type ProviderName } from './providers/registry.js';
import { TARGETS } from './targets.js';

/**
 * Runs the action while no sync of this source runs, no pushed record is stored, and no work unit of the repository is
 * derived.
 *
 * It holds nine locks, each on a separate connection; a sink for three concurrent repositories has enough.
 *
 * @param action receives a function that it calls before each step: it throws if a lock was lost, or on an abort
 */
export async function whileIdle<Result>(
  sink: Sink,
  repository: LockedRepository,
  dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>,
  action: (assertHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const locks: RenewedLock[] = [];
  try {
    for (const key of locksOf(repository)) locks.push(await waitForLock(sink, key, dependencies));
    return await action(assertion(locks, dependencies));
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** The same without waiting. @returns undefined, without calling the action, while something else holds one of the locks */
export async function ifIdle<Result>(
  sink: Sink,
  repository: LockedRepository,
  dependencies: Pick<SyncDependencies, 'now' | 'signal'>,
  action: (assertHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result | undefined> {
  const locks: RenewedLock[] = [];
  try {
    for (const key of locksOf(repository)) {
      const lock = await tryRenewedLock(sink, key, dependencies.now);
      if (lock === undefined) return undefined;
      locks.push(lock);
    }
    return await action(assertion(locks, dependencies));
  } finally {
    for (const lock of locks) await lock.release();
  }
}

interface LockedRepository {
  readonly repoId: string;
  readonly source: ProviderName;
}

function locksOf({ repoId, source }: LockedRepository): readonly LockKey[] {
  return [
    ...TARGETS.map((target): LockKey => ({ repoId, target, source })),
    lockOfPushes(repoId),
    { repoId, target: 'work_units', source: 'local' },
  ];
}

function assertion(locks: readonly RenewedLock[], { signal }: Pick<SyncDependencies, 'signal'>): () => Promise<void> {
  return async () => {
    signal.throwIfAborted();
    for (const lock of locks) await lock.assertHeld();
  };
}

/** One lock for all kinds of records that are pushed into a repository. No push waits for a sync. */
export function lockOfPushes(repoId: string): LockKey {
  return { repoId, target: 'pushes', source: 'push' };
}

/** The source of the latest sync of a repository, whose locks are waited for; undefined if it is not stored. */
export async function latestSource(sink: Sink, repoId: string): Promise<ProviderName | undefined> {
  for await (const [row] of sink.scan(tableNamed('repos'), repoId))
    return PROVIDER_NAMES.find((name) => row?.['source'] === name) ?? 'local';
  return undefined;
}

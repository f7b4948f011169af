/** The locks of everything that writes records or work units of one repository. */
import type { SyncDependencies } from './dependencies.js';
import { tableNamed } from './records.js';
import type { LockKey, Sink } from './sinks/sink.js';
import { waitForLock, type RenewedLock } from './sinks/wait-for-lock.js';
import { PROVIDERS, TARGETS, type ProviderName } from './targets.js';

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
  { repoId, source }: { readonly repoId: string; readonly source: ProviderName },
  dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>,
  action: (assertHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const locks: RenewedLock[] = [];
  try {
    for (const target of TARGETS) locks.push(await waitForLock(sink, { repoId, target, source }, dependencies));
    locks.push(await waitForLock(sink, lockOfPushes(repoId), dependencies));
    locks.push(await waitForLock(sink, { repoId, target: 'work_units', source: 'local' }, dependencies));
    return await action(async () => {
      dependencies.signal.throwIfAborted();
      for (const lock of locks) await lock.assertHeld();
    });
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** One lock for all kinds of records that are pushed into a repository. No push waits for a sync. */
export function lockOfPushes(repoId: string): LockKey {
  return { repoId, target: 'pushes', source: 'push' };
}

/** The source of the latest sync of a repository, whose locks are waited for; undefined if it is not stored. */
export async function latestSource(sink: Sink, repoId: string): Promise<ProviderName | undefined> {
  for await (const [row] of sink.scan(tableNamed('repos'), repoId))
    return PROVIDERS.find((name) => row?.['source'] === name) ?? 'local';
  return undefined;
}

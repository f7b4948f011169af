import { failureOf } from '../../../sync/failures.js';
import { RepositoryBusy, storePushedRows } from '../../../sync/pushed-records.js';
import type { DerivationResources } from '../../../sync/work-units/derivation/resources.js';
import type { RefusedPush, WaitingPush } from './pushed-records.store.js';
import { pushedRowsOf } from './pushed-rows.js';

/** The outcome of pushes. Those that are in neither list wait for the next attempt. */
export interface StoredPushes {
  /** The ids of those whose records are stored. */
  readonly stored: readonly string[];
  /** The pushes whose records a database refuses, although it has stored others after them. */
  readonly refused: readonly RefusedPush[];
  /** Why some wait; null: none does. */
  readonly error: string | null;
}

/**
 * Stores pushes together; if that fails, one after the other, so that one that cannot be stored holds up no others.
 *
 * @param secrets are left out of messages
 */
export async function storePushes(
  resources: DerivationResources,
  pushes: readonly WaitingPush[],
  secrets: readonly string[],
): Promise<StoredPushes> {
  const { signal } = resources.dependencies;
  try {
    await storePushedRows(resources, pushedRowsOf(pushes.map(({ content }) => content)));
    return { stored: pushes.map(({ id }) => id), refused: [], error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (pushes.length < 2) throw error;
  }
  const stored: string[] = [];
  const refused: RefusedPush[] = [];
  let failed: RefusedPush[] = [];
  let busy: string | null = null;
  for (const { id, content } of pushes) {
    try {
      await storePushedRows(resources, pushedRowsOf([content]));
      stored.push(id);
      // The database works, so that it was the records of the others that failed.
      refused.push(...failed);
      failed = [];
    } catch (error) {
      signal.throwIfAborted();
      const { message } = failureOf(error, secrets);
      if (error instanceof RepositoryBusy) busy = error.message;
      else failed.push({ id, reason: message });
    }
  }
  return { stored, refused, error: failed.at(-1)?.reason ?? busy };
}

/** Leases, for databases whose locks do not end with the process that holds them. */
import { hostname } from 'node:os';
import { isAlive } from '@plumbline/contract/system/is-alive';
import { pidNamespace } from '@plumbline/contract/system/pid-namespace';
import { SyncError } from '../failures.js';

/** The duration of a lease without renewal. */
export const LEASE_MILLISECONDS = 120_000;

export interface LeaseHolder {
  /** For messages. */
  readonly host: string;
  readonly pid: number;
  /** Where `pid` is valid; null: unknown. See `pidNamespace`. */
  readonly pids: string | null;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** This process as the holder of a lease. */
export function thisHolder(until: number): LeaseHolder {
  return { host: hostname(), pid: process.pid, pids: pidNamespace(), until };
}

/**
 * Whether a stored lease may be taken: it has expired, it is unreadable, or its holder was a process that this process
 * could see and that has ended (so that a killed sync can be restarted immediately). Host names are not compared,
 * because containers share them.
 */
export function isFree(stored: string, now: number): boolean {
  const holder = parseHolder(stored);
  if (holder === undefined || holder.until <= now) return true;
  const isVisible = holder.pids !== null && holder.pids === pidNamespace();
  return isVisible && holder.pid !== process.pid && !isAlive(holder.pid);
}

function parseHolder(stored: string): LeaseHolder | undefined {
  try {
    const { host, pid, pids, until } = JSON.parse(stored) as Record<string, unknown>;
    if (typeof host !== 'string' || typeof pid !== 'number' || typeof until !== 'number') return undefined;
    return { host, pid, pids: typeof pids === 'string' ? pids : null, until };
  } catch {
    return undefined;
  }
}

/** The holder of a lock must stop writing, because another sync may hold the lock now. */
export function lockLost(cause?: unknown): SyncError {
  return new SyncError(
    'lock_lost',
    'The lock on the repository was lost, so another sync may be writing it. This one has stopped. Run it again: it resumes after the last stored page.',
    { cause },
  );
}

import { getSyncRun, type PlatformClient, type Schemas } from './generated/platform/operations.js';
import type { CallOptions } from './operation.js';
import { systemTiming, type Timing } from './retry.js';
import { unwrap } from './unwrap.js';

const defaultIntervalMs = 1000;
const defaultMaxIntervalMs = 10_000;
/** The factor by which the polling interval grows while nothing changes. */
const growth = 1.5;

/** Identifies a run. */
export interface SyncRunParams {
  readonly sync_config_id: string;
  readonly run_id: string;
}

export interface FollowOptions extends CallOptions {
  /** Polling interval while there is progress, in milliseconds (default 1000). */
  readonly intervalMs?: number | undefined;
  /** Maximum polling interval while there is none, in milliseconds (default 10,000). */
  readonly maxIntervalMs?: number | undefined;
  /** Clock and sleep, for tests. */
  readonly timing?: Timing | undefined;
}

/**
 * Follows a sync run: yields its current state, then each change, and finally the state in which it has ended. To stop
 * following, leave the loop or abort `signal`; the run continues.
 *
 * @param params `sync_config_id` and `run_id`
 * @throws PlumblineError for a problem; the signal's reason; errors of the calls
 */
export async function* followSyncRun(
  client: PlatformClient,
  params: SyncRunParams,
  options: FollowOptions = {},
): AsyncGenerator<Schemas['SyncRun'], Schemas['SyncRun'], undefined> {
  const { intervalMs = defaultIntervalMs, maxIntervalMs = defaultMaxIntervalMs, timing, ...call } = options;
  let seen = '';
  let delay = intervalMs;
  for (;;) {
    const run = unwrap(await getSyncRun(client, { ...call, params }));
    const now = JSON.stringify(run);
    if (now !== seen) yield run;
    if (hasSyncRunEnded(run)) return run;
    delay = now === seen ? Math.min(delay * growth, maxIntervalMs) : intervalMs;
    seen = now;
    await (timing ?? systemTiming).sleep(delay, call.signal);
  }
}

/**
 * Waits until a sync run has ended, successfully or not.
 *
 * @returns the run; its `status` is `complete`, `partial`, `failed` or `cancelled`
 * @throws as `followSyncRun`
 */
export async function waitForSyncRun(
  client: PlatformClient,
  params: SyncRunParams,
  options: FollowOptions = {},
): Promise<Schemas['SyncRun']> {
  const looks = followSyncRun(client, params, options);
  for (;;) {
    const look = await looks.next();
    if (look.done === true) return look.value;
  }
}

/** Whether a run has ended. */
export function hasSyncRunEnded({ status }: Pick<Schemas['SyncRun'], 'status'>): boolean {
  return status !== 'pending' && status !== 'running';
}

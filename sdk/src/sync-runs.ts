import { getSyncRun, type PlatformClient, type Schemas } from './generated/platform/operations.js';
import type { CallOptions } from './operation.js';
import { systemTiming, type Timing } from './retry.js';
import { unwrap } from './unwrap.js';

const defaultIntervalMs = 1000;
const defaultMaxIntervalMs = 10_000;
/** While nothing happens, each wait is that much longer than the last one. */
const growth = 1.5;

/** Which run. */
export interface SyncRunParams {
  readonly sync_config_id: string;
  readonly run_id: string;
}

export interface FollowOptions extends CallOptions {
  /** Milliseconds between two looks while there is progress (default 1000). */
  readonly intervalMs?: number | undefined;
  /** The longest time between two looks while there is none (default 10,000). */
  readonly maxIntervalMs?: number | undefined;
  /** Clock and sleep, for tests. */
  readonly timing?: Timing | undefined;
}

/**
 * Follows a sync run: gives it as it is now, again whenever it has changed, and for the last time when it has ended.
 * To stop following, leave the loop or abort `signal`; the run itself goes on.
 *
 * @param params `sync_config_id` and `run_id`
 * @throws PlumblineError when a look is answered with a problem; the signal's reason; whatever a call throws
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
 * Waits until a sync run has ended, whatever came of it.
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

/** Whether nothing more will happen to a run. */
export function hasSyncRunEnded({ status }: Pick<Schemas['SyncRun'], 'status'>): boolean {
  return status !== 'pending' && status !== 'running';
}

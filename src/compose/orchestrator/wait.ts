/** Waits for the conditions of `depends_on`. */
import type { DependencyCondition } from '../model/project/service.js';
import type { ContainerRecord } from '../runtime/records.js';
import type { Healthcheck } from '../runtime/spec.js';
import { RuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import { ComposeWaitError } from './errors.js';
import type { Orchestration } from './orchestration.js';

/**
 * The least time that a dependency gets. One with a health check gets what the check needs for its verdict, if that is
 * longer. A job has no limit.
 */
export const WAIT_SECONDS = 60;
/** The polling interval for changes without an event. */
export const POLL_MS = 500;

/**
 * Settles when the container satisfies the condition.
 *
 * @param willRestart the restart policy may restart it, so an exit is not final
 * @param seconds the limit, in place of the default (`WAIT_SECONDS`)
 * @throws ComposeWaitError.timeout at the limit, or as soon as a container that must become healthy is unhealthy;
 * ComposeWaitError.nonZeroExitCode
 * @throws RuntimeError.invalidState when it has ended and can therefore never become healthy
 */
export async function waitForCondition(
  orchestration: Orchestration,
  container: Pick<ContainerRecord, 'id' | 'name'>,
  condition: DependencyCondition,
  { willRestart = false, seconds }: { readonly willRestart?: boolean; readonly seconds?: number } = {},
): Promise<void> {
  const { clock, signal } = orchestration;
  const begun = clock.now().getTime();
  const timedOut = (waited: number): ComposeWaitError =>
    new ComposeWaitError({ case: 'timeout', containerName: container.name, condition, seconds: waited });
  const settled = new AbortController();
  const bound = { ...orchestration, signal: AbortSignal.any([signal, settled.signal]) };
  const met = conditions[condition](bound, container, willRestart);
  const hasLimit = seconds !== undefined || condition !== 'service_completed_successfully';
  try {
    const limit = hasLimit ? [limitReached(bound, container, seconds)] : [];
    const expired = limit.map(async (waited) => {
      throw timedOut(await waited);
    });
    await Promise.race([met, ...expired]);
  } catch (error) {
    // The catalogue has no case for a failed health check, so report an early timeout.
    if (error instanceof Unhealthy) throw timedOut(Math.round((clock.now().getTime() - begun) / 1000));
    throw error;
  } finally {
    // Cancels the other promise; Promise.race has handled its rejection.
    settled.abort();
  }
}

/**
 * Settles when a container has had its time. Looks at its health check only after the least time.
 *
 * @returns the limit, in seconds
 */
async function limitReached(
  { backend, clock, signal }: Orchestration,
  { id }: Pick<ContainerRecord, 'id'>,
  seconds: number | undefined,
): Promise<number> {
  await clock.sleep((seconds ?? WAIT_SECONDS) * 1000, signal);
  if (seconds !== undefined) return seconds;
  const { healthcheck } = await backend.containers.inspect(id, { signal });
  const needed = healthcheck === undefined ? 0 : secondsNeeded(healthcheck);
  if (needed <= WAIT_SECONDS) return WAIT_SECONDS;
  await clock.sleep((needed - WAIT_SECONDS) * 1000, signal);
  return needed;
}

/** The longest time until a health check gives its verdict. The unset values are the Engine API's defaults. */
function secondsNeeded({
  intervalMs = 30_000,
  timeoutMs = 30_000,
  retries = 3,
  startPeriodMs = 0,
}: Healthcheck): number {
  // A check that begins in the start period does not count, and may end after it.
  return Math.ceil((startPeriodMs + (retries + 1) * (intervalMs + timeoutMs)) / 1000);
}

/** The health check has used up its retries. */
class Unhealthy extends Error {
  override readonly name = 'Unhealthy';
}

type Wait = (
  bound: Orchestration,
  container: Pick<ContainerRecord, 'id' | 'name'>,
  willRestart: boolean,
) => Promise<void>;

const conditions: Readonly<Record<DependencyCondition, Wait>> = {
  service_started: started,
  service_healthy: healthy,
  service_completed_successfully: completed,
};

async function started({ backend, clock, signal }: Orchestration, { id }: { readonly id: string }): Promise<void> {
  while ((await backend.containers.inspect(id, { signal })).startedAt === undefined) await clock.sleep(POLL_MS, signal);
}

/** Watching also runs the checks if the engine does not. */
async function healthy(
  { backend, clock, report, signal }: Orchestration,
  { id, name }: Pick<ContainerRecord, 'id' | 'name'>,
  willRestart: boolean,
): Promise<void> {
  for (let warned = false; ;) {
    for await (const status of await backend.containers.watchHealth(id, { signal })) {
      if (status === 'healthy') return;
      if (status === 'unhealthy' && isOfThisRun(await backend.containers.inspect(id, { signal })))
        throw new Unhealthy();
    }
    const now = await backend.containers.inspect(id, { signal });
    if (hasEnded(now.status) && !willRestart) {
      throw new RuntimeError({ case: 'invalidState', id: name, expected: 'running', actual: now.status });
    }
    if (now.health === undefined && now.status === 'running' && !warned) {
      warned = true;
      const message = `Container '${name}' has no health check, so it cannot become healthy.`;
      report({ kind: 'warning', message });
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** An engine may report the health of the previous run until the first check of this one. */
function isOfThisRun({ status, startedAt = '', health }: ContainerRecord): boolean {
  return status === 'running' && health?.status === 'unhealthy' && (health.checkedAt ?? startedAt) >= startedAt;
}

async function completed(
  { backend, clock, signal }: Orchestration,
  { id, name }: Pick<ContainerRecord, 'id' | 'name'>,
  willRestart: boolean,
): Promise<void> {
  for (;;) {
    const { exitCode } = await backend.internal.awaitExit(id, { signal });
    if (exitCode === 0) return;
    if (!willRestart) throw new ComposeWaitError({ case: 'nonZeroExitCode', containerName: name, exitCode });
    await clock.sleep(POLL_MS, signal);
  }
}

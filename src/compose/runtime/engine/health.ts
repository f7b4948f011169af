/** Watches a container's health, and runs its checks if the engine does not. */
import type { Clock } from '../clock.js';
import { isRuntimeError } from '../errors.js';
import type { HealthStatus } from '../records.js';
import type { Engine, EngineContainer } from './engine.js';

const POLL_MS = 500;
/** The Engine API's default interval between checks. */
const DEFAULT_INTERVAL_MS = 30_000;

/** Yields the current health, then each change. Ends when the container ends or has no health check. */
export async function* healthChanges(
  engine: Engine,
  clock: Clock,
  watched: EngineContainer,
  signal?: AbortSignal,
): AsyncGenerator<HealthStatus, void> {
  let last: HealthStatus | undefined;
  for (let container = watched; container.health !== undefined;) {
    if (container.state === 'running' && engine.containers.runHealthcheck !== undefined && isDue(container, clock)) {
      container = await afterCheck(engine, container, signal);
      if (container.health === undefined) return;
    }
    // An engine may report an ended container as unhealthy without a check.
    if (container.state === 'ended') return;
    if (container.health.status !== last) {
      last = container.health.status;
      yield last;
    }
    await clock.sleep(Math.min(POLL_MS, intervalOf(container)), signal);
    try {
      container = await engine.containers.inspect(watched.id, signal);
    } catch (error) {
      if (isRuntimeError(error, 'notFound')) return;
      throw error;
    }
  }
}

async function afterCheck(engine: Engine, container: EngineContainer, signal?: AbortSignal): Promise<EngineContainer> {
  try {
    await engine.containers.runHealthcheck?.(container.id, signal);
  } catch (error) {
    // A container may end during its check. That is not a failure of the engine; the next inspection shows it.
    const now = await engine.containers.inspect(container.id, signal);
    if (now.state === 'running') throw error;
    return now;
  }
  return engine.containers.inspect(container.id, signal);
}

/** Whether the interval has passed since the latest check. The first check also waits one interval. */
function isDue(container: EngineContainer, clock: Clock): boolean {
  const since = container.health?.checkedAt ?? container.startedAt;
  return since === undefined || clock.now().getTime() - Date.parse(since) >= intervalOf(container);
}

function intervalOf(container: EngineContainer): number {
  const { healthcheck } = container;
  const starting = container.health?.status === 'starting' && (healthcheck?.startPeriodMs ?? 0) > 0;
  return (starting ? healthcheck?.startIntervalMs : undefined) ?? healthcheck?.intervalMs ?? DEFAULT_INTERVAL_MS;
}

/** Waits until a container's run has ended. */
import type { Clock } from '../clock.js';
import { RuntimeError } from '../errors.js';
import type { ExitRecord } from '../records.js';
import type { ContainerOperations } from '../runtime.js';
import type { Engine, EngineContainer } from './engine.js';

const POLL_MS = 500;

export type AwaitExit = ContainerOperations['wait'];

/** @param defaultSeconds the timeout if the caller gives none; Infinity for no timeout */
export function exitAwaiter(engine: Engine, clock: Clock, defaultSeconds: number): AwaitExit {
  return async (id, { timeoutSeconds = defaultSeconds, signal } = {}) => {
    const before = await engine.containers.inspect(id, signal);
    if (before.state === 'ended') return exitOf(before, clock);
    const settled = new AbortController();
    const watch = AbortSignal.any([settled.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      const ended = untilEnded(engine, clock, before, watch);
      if (!Number.isFinite(timeoutSeconds)) return await ended;
      const expired = clock.sleep(timeoutSeconds * 1000, watch).then(() => {
        throw new RuntimeError({ case: 'timeout', id, seconds: timeoutSeconds });
      });
      return await Promise.race([ended, expired]);
    } finally {
      // Cancels the other promise; Promise.race has handled its rejection.
      settled.abort();
    }
  };
}

async function untilEnded(
  engine: Engine,
  clock: Clock,
  before: EngineContainer,
  signal: AbortSignal,
): Promise<ExitRecord> {
  for (let current = before; ;) {
    let code: number | undefined;
    if (current.state === 'created') await clock.sleep(POLL_MS, signal);
    else code = await engine.containers.untilEnded(before.id, signal);
    const previous = current;
    current = await engine.containers.inspect(before.id, signal);
    if (current.state === 'ended') return exitOf(current, clock);
    if (previous.state !== 'created' && current.startedAt !== previous.startedAt) {
      // The container ended and its restart policy started it again. The end still counts.
      return { exitCode: code ?? current.exitCode ?? 0, exitedAt: current.startedAt ?? clock.now().toISOString() };
    }
    // Avoid a busy loop when the engine settles early.
    if (code !== undefined) await clock.sleep(POLL_MS, signal);
  }
}

function exitOf(container: EngineContainer, clock: Clock): ExitRecord {
  return {
    exitCode: container.exitCode ?? 0,
    exitedAt: container.finishedAt ?? clock.now().toISOString(),
  };
}

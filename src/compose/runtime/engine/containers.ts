/** Container operations common to all engines. Each checks its precondition, then acts. */
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import type { Clock } from '../clock.js';
import { backendFailure, isEngineFailure, isRuntimeError, notFound, unlessNotFound } from '../errors.js';
import { hasEnded, requireStatus, type GuardedOperation } from '../lifecycle.js';
import type { ContainerRecord, ContainerSummary, StatsSample } from '../records.js';
import type { Abortable, ContainerOperations, LabelFilter, Seen } from '../runtime.js';
import { signalName } from '../signals.js';
import type { FileToPut } from '../spec.js';
import { tarOf, type TarEntry } from '../tar.js';
import type { Engine, EngineContainer, ListedContainer } from './engine.js';
import { healthChanges } from './health.js';
import type { StopLedger } from './stop-ledger.js';
import type { AwaitExit } from './waiting.js';

const DEFAULT_STOP_SECONDS = 10;
const DEFAULT_STATS_INTERVAL_MS = 1000;
/** SIGKILL cannot be caught. An engine that has not recorded the exit by then is stuck. */
const KILL_SETTLES_WITHIN_SECONDS = 30;

export function containerOperations(
  engine: Engine,
  ledger: StopLedger,
  clock: Clock,
  awaitExit: AwaitExit,
): Omit<ContainerOperations, 'wait'> {
  const { containers } = engine;

  const look = async (id: string, signal?: AbortSignal): Promise<ContainerRecord> =>
    ledger.record(await containers.inspect(id, signal));

  /** Returns the container if its status allows the operation. */
  async function guard(operation: GuardedOperation, id: string, signal?: AbortSignal): Promise<EngineContainer> {
    const container = await containers.inspect(id, signal);
    requireStatus(operation, id, (await ledger.record(container)).status);
    return container;
  }

  /** Checks and acts. If the action fails because the status changed meanwhile, reports the status. */
  async function act<T>(
    operation: GuardedOperation,
    id: string,
    signal: AbortSignal | undefined,
    on: (container: EngineContainer) => Promise<T>,
  ): Promise<T> {
    const container = await guard(operation, id, signal);
    return explained(operation, id, signal, () => on(container));
  }

  async function explained<T>(
    operation: GuardedOperation,
    id: string,
    signal: AbortSignal | undefined,
    on: () => Promise<T>,
  ): Promise<T> {
    try {
      return await on();
    } catch (error) {
      if (isEngineFailure(error)) await guard(operation, id, signal);
      throw error;
    }
  }

  /** Skips the check when the caller has already inspected the container. A list does not say when one was started. */
  async function actOnSeen(
    operation: GuardedOperation,
    id: string,
    { seen, signal }: Abortable & Seen,
    on: (container: Pick<ContainerRecord, 'id' | 'startedAt'>) => Promise<void>,
  ): Promise<void> {
    if (seen === undefined || (seen.status === 'running' && seen.startedAt === undefined))
      return act(operation, id, signal, on);
    requireStatus(operation, id, seen.status);
    await explained(operation, id, signal, () => on(seen));
  }

  const start = (id: string, options: Abortable & Seen): Promise<void> =>
    actOnSeen('start', id, options, (container) => containers.start(container.id, options.signal));

  async function stop(id: string, timeoutSeconds: number, options: Abortable & Seen): Promise<void> {
    const { signal } = options;
    await actOnSeen('stop', id, options, async (container) => {
      await ledger.open(container, timeoutSeconds, signal);
      let asked = false;
      try {
        signal?.throwIfAborted();
        asked = true;
        await containers.stop(container.id, timeoutSeconds, signal);
      } catch (error) {
        // An abort does not cancel the stop in the engine: the container may still be stopping.
        if (!asked || signal?.aborted !== true) await ledger.cancel(container.id);
        throw error;
      }
    });
  }

  async function list({ labels = {}, signal }: LabelFilter = {}): Promise<ContainerRecord[]> {
    const found = await containers.list(labels, signal);
    const records = await Promise.all(found.map((container) => ledger.record(container)));
    return records.sort(byCreation);
  }

  /** Undefined if the container was removed in the meantime. */
  async function summary(
    container: EngineContainer | ListedContainer,
    signal: AbortSignal | undefined,
  ): Promise<ContainerSummary | undefined> {
    if (!('uptime' in container)) return ledger.record(container);
    // Only its start tells whether the mark is of this run.
    if (await ledger.wasStopping(container.id, clock.now())) return unlessNotFound(look(container.id, signal));
    const { state, ...rest } = container;
    return { ...rest, status: state };
  }

  return {
    create: (spec, { signal } = {}) => containers.create(spec, signal),
    start: (id, options = {}) => start(id, options),
    startAttached: (id, { stdin, signal } = {}) =>
      act('start', id, signal, (container) => containers.startAttached(container, stdin, signal)),
    attach: (id, options = {}) =>
      act('attach', id, options.signal, (container) => containers.attach(container, options)),
    pause: (id, { signal } = {}) => act('pause', id, signal, (container) => containers.pause(container.id, signal)),
    unpause: (id, { signal } = {}) =>
      act('unpause', id, signal, (container) => containers.unpause(container.id, signal)),
    stop: (id, { timeoutSeconds = DEFAULT_STOP_SECONDS, ...options } = {}) => stop(id, timeoutSeconds, options),
    async kill(id, { killSignal = 'SIGKILL', signal } = {}) {
      const name = signalName(killSignal);
      if (name === undefined) throw backendFailure(`'${killSignal}' is not a signal.`);
      await act('kill', id, signal, async (container) => {
        await ledger.cancel(container.id);
        await containers.kill(container.id, name, signal);
        if (name !== 'SIGKILL') return;
        await awaitExit(container.id, { timeoutSeconds: KILL_SETTLES_WITHIN_SECONDS, ...(signal && { signal }) });
      });
    },
    async restart(id, { timeoutSeconds = DEFAULT_STOP_SECONDS, signal } = {}) {
      const { status } = await look(id, signal);
      if (status === 'running') await stop(id, timeoutSeconds, { ...(signal && { signal }) });
      else if (status === 'stopping') {
        await awaitExit(id, { timeoutSeconds: timeoutSeconds + DEFAULT_STOP_SECONDS, ...(signal && { signal }) });
      }
      await start(id, { ...(signal && { signal }) });
    },
    async remove(id, { force = false, volumes = false, ...options } = {}) {
      const { signal } = options;
      // The mark of a stop remains until it is pruned, because event readers may still need to know how the run ended.
      const remove = (container: Pick<ContainerRecord, 'id'>): Promise<void> =>
        containers.remove(container.id, { force, volumes }, signal);
      if (force) await remove(await containers.inspect(id, signal));
      else await actOnSeen('remove', id, options, remove);
    },
    inspect: (id, { signal } = {}) => look(id, signal),
    list,
    async summaries(options = {}) {
      const { labels = {}, signal } = options;
      if (containers.summaries === undefined) return list(options);
      const found = await containers.summaries(labels, signal);
      const summaries = await Promise.all(found.map((container) => summary(container, signal)));
      // Engines list the newest first, and its time is in whole seconds.
      return summaries
        .filter((each) => each !== undefined)
        .reverse()
        .sort(bySecondOfCreation);
    },
    async logs(id, options = {}) {
      return containers.logs(await containers.inspect(id, options.signal), options);
    },
    stats: (id, { signal } = {}) => act('stats', id, signal, (container) => containers.stats(container.id, signal)),
    async followStats(id, { intervalMs = DEFAULT_STATS_INTERVAL_MS, signal } = {}) {
      const container = await guard('stats', id, signal);
      const first = await containers.stats(container.id, signal);
      return samples(
        engine,
        clock,
        first,
        intervalMs,
        async () => {
          return !hasEnded((await look(container.id, signal)).status);
        },
        signal,
      );
    },
    exec: (id, spec, { signal } = {}) =>
      act('exec', id, signal, (container) => containers.exec(container.id, spec, signal)),
    top: (id, { signal } = {}) => act('top', id, signal, (container) => containers.top(container.id, signal)),
    async port(id, { containerPort, protocol, signal } = {}) {
      const { ports } = await containers.inspect(id, signal);
      return ports.filter(
        (port) =>
          (containerPort === undefined || port.containerPort === containerPort) &&
          (protocol === undefined || port.protocol === protocol),
      );
    },
    async putFiles(id, files, { signal } = {}) {
      const container = await containers.inspect(id, signal);
      const archive = toAsyncIterable([tarOf(files.map(archived))]);
      await containers.putArchive(container.id, '/', archive, signal);
    },
    async getArchive(id, path, { signal } = {}) {
      return containers.getArchive((await containers.inspect(id, signal)).id, path, signal);
    },
    async putArchive(id, directory, archive, { signal } = {}) {
      await containers.putArchive((await containers.inspect(id, signal)).id, directory, archive, signal);
    },
    async export(id, { signal } = {}) {
      return containers.export((await containers.inspect(id, signal)).id, signal);
    },
    async commit(id, spec, { signal } = {}) {
      return containers.commit((await containers.inspect(id, signal)).id, spec, signal);
    },
    async watchHealth(id, { signal } = {}) {
      return healthChanges(engine, clock, await containers.inspect(id, signal), signal);
    },
  };
}

/** Not `localeCompare`, whose first call takes as long as all requests of a command. */
function ascending(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function byCreation(one: ContainerRecord, other: ContainerRecord): number {
  return ascending(one.createdAt, other.createdAt);
}

function bySecondOfCreation(one: ContainerSummary, other: ContainerSummary): number {
  const secondOf = ({ createdAt }: ContainerSummary): string => createdAt.slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
  return ascending(secondOf(one), secondOf(other));
}

async function* samples(
  engine: Engine,
  clock: Clock,
  first: StatsSample,
  intervalMs: number,
  alive: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StatsSample, void> {
  yield first;
  for (;;) {
    await clock.sleep(intervalMs, signal);
    let sample: StatsSample;
    try {
      if (!(await alive())) return;
      sample = await engine.containers.stats(first.id, signal);
    } catch (error) {
      // The container was removed, or ended before the sample: end the stream without an error.
      if (isRuntimeError(error, 'notFound') || !(await alive().catch(() => false))) return;
      if (isRuntimeError(error, 'invalidState')) continue; // It is between two runs.
      throw error;
    }
    yield sample;
  }
}

function archived(file: FileToPut): { entry: TarEntry; content: Uint8Array } {
  const path = file.path.replace(/^\/+/, '');
  if (path === '' || path.split('/').includes('..')) throw notFound(file.path);
  return {
    entry: {
      path,
      type: 'file',
      size: file.content.length,
      mode: file.mode ?? 0o444,
      ...(file.uid !== undefined && { uid: file.uid }),
      ...(file.gid !== undefined && { gid: file.gid }),
    },
    content: file.content,
  };
}

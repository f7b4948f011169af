/** Containers of a dry run: their records change, and nothing runs. */
import { randomBytes } from 'node:crypto';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import type { Clock } from '../clock.js';
import { specRecord } from '../engine/spec-record.js';
import { alreadyExists, unlessNotFound } from '../errors.js';
import { hasEnded, requireStatus, type GuardedOperation } from '../lifecycle.js';
import type { AttachedProcess, ContainerRecord, ExitRecord } from '../records.js';
import type { ContainerOperations, InternalOperations } from '../runtime.js';
import { exitCodeOf, signalName } from '../signals.js';
import type { DryRunImages } from './images.js';
import { overlay, type Overlay } from './overlay.js';

export interface DryRunContainers
  extends ContainerOperations, Pick<InternalOperations, 'awaitExit' | 'disconnect' | 'rename'> {}

export interface DryRunParts {
  readonly clock: Clock;
  /** Reports a command that would be run in a container. */
  readonly wouldRun: (container: string, command: readonly string[]) => void;
}

export const plannedContainers = (): Overlay<ContainerRecord> => overlay<ContainerRecord>(({ id }) => id);

export function dryRunContainers(
  real: ContainerOperations & Pick<InternalOperations, 'awaitExit'>,
  planned: Overlay<ContainerRecord>,
  images: DryRunImages,
  { clock, wouldRun }: DryRunParts,
): DryRunContainers {
  const now = (): string => clock.now().toISOString();
  const inspect: ContainerOperations['inspect'] = (id, options) => planned.find(id, () => real.inspect(id, options));

  const list: ContainerOperations['list'] = async (options) =>
    planned.merged(await real.list(options), options?.labels);

  /** Plans the result of an operation if the status allows it. */
  async function act(
    operation: GuardedOperation,
    id: string,
    options: { readonly signal?: AbortSignal } | undefined,
    next: (container: ContainerRecord) => ContainerRecord,
  ): Promise<ContainerRecord> {
    const container = await inspect(id, options?.signal && { signal: options.signal });
    options?.signal?.throwIfAborted();
    requireStatus(operation, id, container.status);
    const changed = next(container);
    if (changed !== container) planned.put(changed);
    return changed;
  }

  const ended = (container: ContainerRecord, status: 'stopped' | 'exited', exitCode: number): ContainerRecord => {
    const { condition: _condition, health: _health, ...rest } = container;
    return { ...rest, status, exitCode, finishedAt: now(), ports: [] };
  };

  /** Health checks are assumed to succeed. */
  const started = (container: ContainerRecord): ContainerRecord => {
    const { exitCode: _exitCode, finishedAt: _finishedAt, ...rest } = container;
    const health = { status: 'healthy', failingStreak: 0 } as const;
    return { ...rest, status: 'running', startedAt: now(), ...(container.healthcheck && { health }) };
  };

  /** Containers are assumed to succeed. */
  const exitOf = ({ exitCode = 0, finishedAt = now() }: ContainerRecord): ExitRecord => ({
    exitCode,
    exitedAt: finishedAt,
  });

  const start: ContainerOperations['start'] = async (id, options) => {
    await act('start', id, options, started);
  };
  const stop: ContainerOperations['stop'] = async (id, options) => {
    await act('stop', id, options, (container) => ended(container, 'stopped', exitCodeOf('SIGTERM')));
  };
  const unchanged = (container: ContainerRecord): ContainerRecord => container;

  return {
    ...reading(real),
    async create(spec, options) {
      if ((await unlessNotFound(inspect(spec.name, options))) !== undefined) throw alreadyExists(spec.name);
      const image = await images.inspect(spec.image, options);
      const id = randomBytes(32).toString('hex');
      planned.put({
        ...specRecord(spec, id),
        imageId: image.id,
        status: 'created',
        createdAt: now(),
        outOfMemory: false,
        restartCount: 0,
        ports: [],
      });
      return { id, warnings: [] };
    },
    start,
    async startAttached(id, options) {
      const { name, command } = await act('start', id, options, (container) => ended(started(container), 'exited', 0));
      wouldRun(name, command);
      return finished();
    },
    async attach(id, options) {
      await act('attach', id, options, unchanged);
      return finished();
    },
    async exec(id, spec, options) {
      const { name } = await act('exec', id, options, unchanged);
      wouldRun(name, spec.command);
      return finished();
    },
    async pause(id, options) {
      await act('pause', id, options, (container) => ({ ...container, condition: 'paused' }));
    },
    async unpause(id, options) {
      await act('unpause', id, options, ({ condition: _condition, ...container }) => container);
    },
    stop,
    async kill(id, options) {
      const name = signalName(options?.killSignal ?? 'SIGKILL') ?? 'SIGKILL';
      await act('kill', id, options, (container) =>
        name === 'SIGKILL' ? ended(container, 'exited', exitCodeOf(name)) : container,
      );
    },
    async restart(id, options) {
      if ((await inspect(id, options)).status === 'running') await stop(id, options);
      await start(id, options);
    },
    async remove(id, options) {
      if (options?.force === true) planned.remove(await inspect(id, options));
      else planned.remove(await act('remove', id, options, unchanged));
    },
    inspect,
    list,
    summaries: list,
    wait: async (id, options) => settled(await inspect(id, options), () => real.wait(id, options)),
    awaitExit: async (id, options) => settled(await inspect(id, options), () => real.awaitExit(id, options)),
    async putFiles(id, _files, options) {
      await inspect(id, options);
    },
    async putArchive(id, _directory, _archive, options) {
      await inspect(id, options);
    },
    async commit(id, { reference }, options) {
      await inspect(id, options);
      return images.add(reference === undefined ? [] : [reference], {});
    },
    async watchHealth(id, options) {
      const container = await inspect(id, options);
      if (!planned.isChanged(container)) return real.watchHealth(id, options);
      return toAsyncIterable(container.health === undefined ? [] : [container.health.status]);
    },
    async disconnect(network, id, options) {
      const container = await inspect(id, options);
      planned.put({ ...container, networks: container.networks.filter((each) => each.network !== network) });
    },
    async rename(id, name, options) {
      const container = await inspect(id, options);
      if ((await unlessNotFound(inspect(name, options))) !== undefined) throw alreadyExists(name);
      planned.put({ ...container, name });
    },
  };

  async function settled(container: ContainerRecord, wait: () => Promise<ExitRecord>): Promise<ExitRecord> {
    return planned.isChanged(container) || hasEnded(container.status) ? exitOf(container) : wait();
  }
}

/** The operations that only read. */
function reading({
  logs,
  stats,
  followStats,
  top,
  port,
  getArchive,
  export: exportAll,
}: ContainerOperations): Pick<
  ContainerOperations,
  'logs' | 'stats' | 'followStats' | 'top' | 'port' | 'getArchive' | 'export'
> {
  return { logs, stats, followStats, top, port, getArchive, export: exportAll };
}

/** In place of a process that would run. */
function finished(): AttachedProcess {
  return { output: toAsyncIterable([]), exitCode: Promise.resolve(0), resize: () => Promise.resolve() };
}

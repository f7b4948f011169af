/** Containers through the podman command. */
import { mkdir } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import type { EngineContainer, EngineContainers } from '../engine/engine.js';
import { containerOf } from '../engine/inspect.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { cells } from '../engine/process-table.js';
import { utcTime } from '../engine/time.js';
import { backendFailure, imageNotFound, notFound, unlessNotFound } from '../errors.js';
import { hasTransport, qualifyImage } from '../image-reference.js';
import { objectsOf, parseJson } from '../json.js';
import type { CreatedContainer, ProcessTable, StatsSample } from '../records.js';
import type { ContainerSpec } from '../spec.js';
import { createCommand } from './create-arguments.js';
import { attach, execProcess, startAttached } from './exec.js';
import { archiveOf, exported, putArchive } from './archives.js';
import { labelArguments, operand, option } from './options.js';
import { containerLogs } from './logs.js';
import type { Podman } from './podman.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export function nativeContainers(podman: Podman, clock: Clock): EngineContainers {
  const inspect = async (id: string, signal?: AbortSignal): Promise<EngineContainer> => {
    const answer = await lookDespiteEnd(() =>
      podman.json(['container', 'inspect', operand(id)], { subject: { id }, signal }),
    );
    const [inspection] = objectsOf(answer);
    if (inspection === undefined) throw notFound(id);
    return containerOf(inspection);
  };
  const act = async (id: string, signal: AbortSignal | undefined, ...args: string[]): Promise<void> => {
    await podman.run([...args, operand(id)], { subject: { id }, signal });
  };
  const untilEnded = async (id: string, signal: AbortSignal): Promise<number | undefined> => {
    const args = ['wait', '--interval=250ms', '--condition=stopped', '--condition=exited', operand(id)];
    const text = (await lookDespiteEnd(() => podman.run(args, { subject: { id }, signal }))).trim();
    return /^\d+$/.test(text) ? Number(text) : undefined;
  };

  return {
    create: (spec, signal) => create(podman, spec, signal),
    inspect,
    async list(labels, signal) {
      const ids = await podman.run(['ps', '--all', '--no-trunc', '--quiet', ...labelArguments(labels)], { signal });
      const wanted = ids.split('\n').filter((id) => id !== '');
      if (wanted.length === 0) return [];
      // If a container has just ended or been removed, podman fails and omits it, or others as well.
      const printed = await podman.run(['container', 'inspect', ...wanted], { accepts: [125], signal });
      const found = objectsOf(parseJson(printed)).map(containerOf);
      const missed = wanted.filter((id) => !found.some((container) => container.id === id));
      const others = await Promise.all(missed.map((id) => unlessNotFound(inspect(id, signal))));
      return [...found, ...others.filter((container) => container !== undefined)];
    },
    start: (id, signal) => act(id, signal, 'start'),
    startAttached: (container, stdin, signal) =>
      startAttached(podman, container, stdin, () => inspect(container.id), signal),
    stop: (id, timeoutSeconds, signal) => act(id, signal, 'stop', `--time=${timeoutSeconds}`),
    kill: (id, signalName, signal) => act(id, signal, 'kill', `--signal=${signalName}`),
    remove: (id, { force, volumes }, signal) =>
      act(id, signal, 'rm', ...(force ? ['--force', '--time=0'] : []), ...(volumes ? ['--volumes'] : [])),
    async rename(id, name, signal) {
      await podman.run(['rename', operand(id), operand(name)], { subject: { id, newName: name }, signal });
    },
    untilEnded,
    logs: (container, options) =>
      containerLogs({ podman, clock, untilEnded: (signal) => untilEnded(container.id, signal) }, container, options),
    stats: (id, signal) => stats(podman, clock, id, signal),
    exec: (id, spec, signal) => execProcess(podman, id, spec, signal),
    top: (id, signal) => top(podman, id, signal),
    attach: (container, options) => attach(podman, container, options, () => inspect(container.id)),
    pause: (id, signal) => act(id, signal, 'pause'),
    unpause: (id, signal) => act(id, signal, 'unpause'),
    getArchive: (id, path, signal) => archiveOf(podman, id, path, signal),
    putArchive: (id, directory, archive, signal) => putArchive(podman, id, directory, archive, signal),
    export: (id, signal) => exported(podman, operand(id), signal),
    async commit(id, { reference, author, message, changes = [], pause }, signal) {
      const args = [
        ...option('--author', author),
        // Images in the OCI format, podman's default, have no message.
        ...(message === undefined ? [] : ['--format=docker', `--message=${message}`]),
        ...changes.map((change) => `--change=${change}`),
        `--pause=${String(pause)}`,
      ];
      const name = reference === undefined ? [] : [operand(qualifyImage(reference))];
      const printed = await podman.run(['commit', '--quiet', ...args, operand(id), ...name], {
        subject: { id },
        signal,
      });
      return printed.trim().replace(/^sha256:/, '');
    },
    async runHealthcheck(id, signal) {
      // Exit code 1 means unhealthy, which is a valid result.
      await podman.run(['healthcheck', 'run', operand(id)], { accepts: [1], subject: { id }, signal });
    },
  };
}

async function create(podman: Podman, spec: ContainerSpec, signal?: AbortSignal): Promise<CreatedContainer> {
  if (spec.image.startsWith('-') || hasTransport(spec.image)) throw imageNotFound(spec.image);
  for (const mount of spec.mounts ?? []) {
    if (mount.type === 'bind' && mount.createHostPath) await makeHostPath(mount.source);
  }
  const { args, environment, warnings } = createCommand(spec);
  const about = podman.knowing(Object.values(spec.environment ?? {}));
  const subject = { newName: spec.name, image: spec.image };
  const id = (await about.run(args, { environment, subject, signal })).trim();
  return { id, warnings };
}

/** An existing file is mounted unchanged. */
async function makeHostPath(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw backendFailure('The host directory of a bind mount cannot be created.', error);
  }
}

/** Raw numbers; podman's JSON output rounds them. */
const statsTemplate = [
  '{{.CPUNano}}',
  '{{.ContainerStats.MemUsage}}',
  '{{.ContainerStats.MemLimit}}',
  '{{.ContainerStats.PIDs}}',
  '{{.BlockInput}}',
  '{{.BlockOutput}}',
  '{{.NetInput}}',
  '{{.NetOutput}}',
].join(' ');

async function stats(podman: Podman, clock: Clock, id: string, signal?: AbortSignal): Promise<StatsSample> {
  const args = ['stats', '--no-stream', `--format=${statsTemplate}`, operand(id)];
  const numbers = (await podman.run(args, { subject: { id }, signal })).trim().split(' ').map(Number);
  const [cpu, memory, limit, processes, read, write, received, transmitted] = numbers;
  if (cpu === undefined || transmitted === undefined || numbers.some(Number.isNaN)) {
    throw backendFailure('Podman returned no statistics.');
  }
  return {
    id,
    sampledAt: utcTime(clock.now().toISOString()) ?? '',
    cpuUsageMicroseconds: Math.round(cpu / 1000),
    memoryUsageBytes: memory ?? 0,
    memoryLimitBytes: limit ?? 0,
    processes: processes ?? 0,
    blockReadBytes: read ?? 0,
    blockWriteBytes: write ?? 0,
    // Podman reports the sum over the interfaces.
    networks: [{ interface: 'network', receivedBytes: received ?? 0, transmittedBytes: transmitted }],
  };
}

/** Descriptors of `podman top`, which needs no `ps` in the container. The last may contain spaces. */
const columns = ['user', 'pid', 'ppid', 'pcpu', 'etime', 'tty', 'time', 'args'];

async function top(podman: Podman, id: string, signal?: AbortSignal): Promise<ProcessTable> {
  const text = await podman.run(['top', operand(id), ...columns], { subject: { id }, signal });
  const [titles = '', ...rows] = text.split('\n').filter((line) => line.trim() !== '');
  return {
    titles: cells(titles, columns.length),
    processes: rows.map((row) => cells(row, columns.length)),
  };
}

/** Runs processes with attached streams. */
import { Duplex, type Readable } from 'node:stream';
import type { Clock } from '../clock.js';
import { attachedProcess } from '../engine/attached.js';
import { feed } from '../engine/feed.js';
import type { EngineContainer } from '../engine/engine.js';
import { backendFailure } from '../errors.js';
import { objectOf, textOf } from '../json.js';
import type { AttachedProcess, OutputChunk } from '../records.js';
import type { AttachOptions, ExecSpec } from '../spec.js';
import { chunksOf, type EngineClient } from './client.js';
import { framesOf, unframed } from './frames.js';
import { segment } from './requests.js';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** An abort ends the attachment. The Engine API cannot end the process. */
export async function execProcess(
  client: EngineClient,
  clock: Clock,
  id: string,
  spec: ExecSpec,
  signal?: AbortSignal,
): Promise<AttachedProcess> {
  const tty = spec.tty ?? false;
  const withStdin = spec.stdin !== undefined;
  const json = {
    Cmd: [...spec.command],
    AttachStdout: true,
    AttachStderr: true,
    AttachStdin: withStdin,
    Tty: tty,
    Privileged: spec.privileged ?? false,
    Env: Object.entries(spec.environment ?? {}).map(([name, value]) => `${name}=${value}`),
    ...(spec.user !== undefined && { User: spec.user }),
    ...(spec.workingDirectory !== undefined && { WorkingDir: spec.workingDirectory }),
  };
  const created = await client.call({ id }, { method: 'POST', path: `/containers/${segment(id)}/exec`, json, signal });
  const path = `/exec/${segment(textOf(objectOf(created).Id))}`;
  const start = { method: 'POST', path: `${path}/start`, json: { Detach: false, Tty: tty }, signal } as const;
  const stream = await client.stream({ id }, { ...start, upgrade: withStdin });
  if (withStdin) feed(upgraded(stream), spec.stdin);
  return attachedProcess({
    output: outputOf(client, stream, tty, signal),
    exitCode: () =>
      settled(clock, signal, async () => {
        const state = objectOf(await client.call({ id }, { method: 'GET', path: `${path}/json`, signal }));
        return state.Running !== true && typeof state.ExitCode === 'number' ? state.ExitCode : undefined;
      }),
    resize: async ({ rows, columns }) => {
      const query = { h: rows, w: columns };
      await client.call({ id }, { method: 'POST', path: `${path}/resize`, query, signal });
    },
  });
}

/** Attaches to the main process. The input and the output of the process stay open when the attachment ends. */
export async function attach(
  client: EngineClient,
  clock: Clock,
  container: EngineContainer,
  options: AttachOptions,
  inspect: () => Promise<EngineContainer>,
): Promise<AttachedProcess> {
  const stream = await attachment(client, container, options);
  feed(stream, options.stdin);
  return processOf(client, clock, container, stream, inspect, options.signal);
}

/** Attaches before it starts the container, so that no output is lost. */
export async function startAttached(
  client: EngineClient,
  clock: Clock,
  container: EngineContainer,
  stdin: AsyncIterable<Uint8Array> | undefined,
  inspect: () => Promise<EngineContainer>,
  signal?: AbortSignal,
): Promise<AttachedProcess> {
  const { id } = container;
  const stream = await attachment(client, container, { stdin, signal });
  try {
    await client.call({ id }, { method: 'POST', path: `/containers/${segment(id)}/start`, signal });
  } catch (error) {
    stream.end();
    throw error;
  }
  feed(stream, stdin);
  return processOf(client, clock, container, stream, inspect, signal);
}

async function attachment(
  client: EngineClient,
  { id }: EngineContainer,
  { stdin, signal, detachKeys }: AttachOptions,
): Promise<Duplex> {
  const query = { stream: true, stdout: true, stderr: true, stdin: stdin !== undefined, detachKeys };
  const path = `/containers/${segment(id)}/attach`;
  return upgraded(await client.stream({ id }, { method: 'POST', path, query, upgrade: true, signal }));
}

function upgraded(stream: Readable): Duplex {
  if (!(stream instanceof Duplex)) throw backendFailure('The container engine did not upgrade the connection.');
  return stream;
}

function processOf(
  client: EngineClient,
  clock: Clock,
  { id, tty }: EngineContainer,
  stream: Duplex,
  inspect: () => Promise<EngineContainer>,
  signal?: AbortSignal,
): AttachedProcess {
  return attachedProcess({
    output: outputOf(client, stream, tty, signal),
    exitCode: () =>
      settled(clock, signal, async () => {
        const now = await inspect();
        return now.state === 'ended' ? now.exitCode : undefined;
      }),
    resize: async ({ rows, columns }) => {
      const query = { h: rows, w: columns };
      await client.call({ id }, { method: 'POST', path: `/containers/${segment(id)}/resize`, query, signal });
    },
  });
}

function outputOf(
  client: EngineClient,
  stream: Readable,
  tty: boolean,
  signal?: AbortSignal,
): AsyncIterable<OutputChunk> {
  const chunks = chunksOf(client, stream, signal);
  return tty ? unframed(chunks) : framesOf(chunks);
}

/** A process may continue after its output has ended, and the engine may record its exit late. */
async function settled(
  clock: Clock,
  signal: AbortSignal | undefined,
  ask: () => Promise<number | undefined>,
): Promise<number> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const code = await ask();
    if (code !== undefined) return code;
    await clock.sleep(pause, signal);
  }
}

/** A project with a unique name on a real engine, driven by the command line, and removed with all its objects. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import type { ContainerRecord } from '../../../src/compose/runtime/records.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import type { TestEngine } from '../../support/engines.js';
import { builtCommand } from '../../cli/built-command.js';
import { consoleOn, type Console } from '../cli/command-line.js';
import { terminal, type Terminal } from '../../support/terminal.js';
import { folderWith } from '../model/project-folder.js';

/** Parts of a compose file; image, labels and a command that obeys SIGTERM are added. */
export interface ComposeParts {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly networks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [section: string]: unknown;
}

export interface CommandProcess {
  readonly pid: number;
  /** What it has printed so far, both streams. */
  printed(): string;
  /** Settles when the text has been printed; rejects when the process ends without it. */
  says(text: string): Promise<void>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the pipe that it prints to, as `head` does after its last line. */
  stopReading(): void;
}

export interface EngineProject extends Console {
  readonly name: string;
  readonly folder: string;
  readonly backend: Backend;
  /** Replaces the compose file. */
  write(parts: ComposeParts): Promise<void>;
  /** The same command line in a separate process. */
  spawn(...args: string[]): Promise<CommandProcess>;
  /** The same on a pseudo-terminal of 24 rows and 80 columns. */
  onTerminal(...args: string[]): Promise<Terminal>;
  /** A script of the shell on one, in which `compose` is the command. */
  shellOnTerminal(script: string): Promise<Terminal>;
  containers(): Promise<readonly ContainerRecord[]>;
  /** Status by service, `service#n` from the second replica on. */
  statuses(): Promise<Record<string, string>>;
  /** The container of a service. */
  container(service: string): Promise<ContainerRecord>;
}

/** Heeds SIGTERM at once, which a bare `sleep` as process 1 would not. */
const OBEDIENT = ['sh', '-c', 'trap "exit 0" TERM; echo ready; while :; do sleep 0.1; done'];

/** What `up` prints where all containers run already. */
export const ONLY_RUNNING = /^(?:Container \S+ Running\n)+$/;

export const shell = (script: string): string[] => ['sh', '-c', script];

export async function engineProject(
  engine: TestEngine,
  parts: ComposeParts,
  files: Readonly<Record<string, string>> = {},
): Promise<EngineProject> {
  const name = `plt${randomBytes(5).toString('hex')}`;
  const folder = await folderWith({ ...files, 'compose.yaml': composeFile(engine, name, parts) });
  const { backend } = engine;
  const labels = { 'com.docker.compose.project': name };
  const commandLine = consoleOn(backend, { folder, clock: systemClock });
  onTestFinished(() => removeAll(backend, labels));
  const onPty = (command: readonly string[]): Terminal =>
    terminal(command, { cwd: folder, env: { ...environmentOf(folder, engine), TERM: 'xterm' } });
  const containers = (): Promise<readonly ContainerRecord[]> => backend.containers.list({ labels });
  return {
    ...commandLine,
    name,
    folder,
    backend,
    write: (more) => writeFile(path.join(folder, 'compose.yaml'), composeFile(engine, name, more)),
    spawn: async (...args) => started(await builtCommand(), args, folder, engine),
    onTerminal: async (...args) => onPty([process.execPath, await builtCommand(), 'compose', ...args]),
    shellOnTerminal: async (script) => {
      const compose = `compose() { ${process.execPath} ${await builtCommand()} compose "$@"; }`;
      return onPty(['sh', '-c', `${compose}\n${script}`]);
    },
    containers,
    async statuses() {
      const all = await containers();
      return Object.fromEntries(all.map((one) => [serviceOf(one), one.status]).sort());
    },
    async container(service) {
      const found = (await containers()).find((one) => serviceOf(one) === service);
      if (found === undefined) throw new Error(`there is no container of ${service}`);
      return found;
    },
  };
}

function serviceOf({ labels }: ContainerRecord): string {
  const number = labels['com.docker.compose.container-number'] ?? '1';
  return `${labels['com.docker.compose.service'] ?? ''}${number === '1' ? '' : `#${number}`}`;
}

/** JSON is YAML. Everything carries the label by which what a killed run has left is found. */
export function composeFile({ image, labels }: TestEngine, name: string, parts: ComposeParts): string {
  const labelled = (
    sections: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Record<string, Readonly<Record<string, unknown>>> =>
    Object.fromEntries(
      Object.entries(sections).map(([key, body]) => [key, body['external'] === true ? body : { labels, ...body }]),
    );
  const services = Object.entries(parts.services).map(([service, body]) => [
    service,
    { image, command: OBEDIENT, ...body, labels: { ...labels, ...asLabels(body['labels']) } },
  ]);
  return JSON.stringify({
    name,
    ...parts,
    services: Object.fromEntries(services),
    networks: labelled({ default: {}, ...parts.networks }),
    volumes: labelled(parts.volumes ?? {}),
  });
}

function asLabels(labels: unknown): object {
  return typeof labels === 'object' && labels !== null ? labels : {};
}

function environmentOf(folder: string, engine: TestEngine): Record<string, string> {
  return { HOME: folder, PLUMBLINE_HOME: path.join(folder, '.plumbline'), ...engine.environment };
}

function started(command: string, args: readonly string[], folder: string, engine: TestEngine): CommandProcess {
  const child = spawn(process.execPath, [command, 'compose', '--progress', 'plain', ...args], {
    cwd: folder,
    env: environmentOf(folder, engine),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const each of woken) each();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      wake();
    });
  }
  let isOver = false;
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isOver = true;
      wake();
      resolve(code ?? signal);
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    printed: () => text,
    async says(wanted) {
      while (!text.includes(wanted)) {
        if (isOver) throw new Error(`it ended without saying '${wanted}': ${text}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    ended,
    kill: (signal) => child.kill(signal),
    stopReading: () => child.stdout.destroy(),
  };
}

export async function removeAll(backend: Backend, labels: Readonly<Record<string, string>>): Promise<void> {
  const ignore = (): undefined => undefined; // Gone meanwhile; what is not gone is removed by the engine's own clean-up.
  for (const { id } of [...(await backend.containers.list({ labels }))].reverse()) {
    await backend.containers.remove(id, { force: true, volumes: true }).catch(ignore);
  }
  for (const { id } of await backend.internal.networks.list({ labels })) {
    await backend.internal.networks.remove(id).catch(ignore);
  }
  for (const { name } of await backend.volumes.list({ labels })) await backend.volumes.remove(name).catch(ignore);
}

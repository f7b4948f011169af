/** Runs a mock container from its start to its end, and restarts it according to its restart policy. */
import type { Channel } from '../channel.js';
import { lineCutter } from '../lines.js';
import { backendFailure } from '../errors.js';
import type { OutputChunk, OutputStream, PortBinding } from '../records.js';
import { runProgram, service } from './process.js';
import { emit, now, type MockContainer, type MockState } from './mock-state.js';

/** The first port to assign when none is requested. */
const FIRST_PORT = 49_153;
/** The delay before a restart, doubled each time, as in Docker. */
const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 60_000;

export interface Attachment {
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  readonly output: Channel<OutputChunk>;
}

export function startRun(mockState: MockState, container: MockContainer, attachment?: Attachment): void {
  container.ports = bindPorts(mockState, container);
  container.state = 'running';
  container.heldDown = false;
  container.startedAt = later(now(mockState), container.startedAt);
  delete container.exitCode;
  if (container.spec.healthcheck && container.spec.healthcheck.test[0] !== 'NONE') {
    container.health = { status: 'starting', failingStreak: 0 };
  }
  emit(mockState, container, 'started');
  container.change.notify();

  const cutters = { stdout: lineCutter(), stderr: lineCutter() };
  const note = (stream: OutputStream, lines: readonly string[]): void => {
    for (const line of lines) container.log.push({ stream, line, time: now(mockState) });
    if (lines.length > 0) container.change.notify();
  };
  const command = [...(container.spec.entrypoint ?? []), ...(container.spec.command ?? [])];
  const program = mockState.programs({ kind: 'container', container: container.spec.name, command }) ?? service;
  const process = runProgram(program, {
    command,
    environment: container.spec.environment ?? {},
    stdin: attachment?.stdin,
    write: (stream, text) => {
      note(stream, cutters[stream].push(text));
      void attachment?.output.push({ stream, data: Buffer.from(text) });
    },
  });
  container.process = process;
  process.exit
    .catch(() => 1) // A program that throws has failed.
    .then((code) => {
      note('stdout', cutters.stdout.rest());
      note('stderr', cutters.stderr.rest());
      attachment?.output.end();
      // A forced removal has already ended the run.
      if (container.process === process && container.state === 'running') endRun(mockState, container, code);
    })
    .catch(() => undefined);
}

export function endRun(mockState: MockState, container: MockContainer, code: number): void {
  container.state = 'ended';
  container.exitCode = code;
  container.finishedAt = now(mockState);
  delete container.process;
  emit(mockState, container, 'ended', { exitCode: code });
  if (wantsRestart(container, code)) void restartLater(mockState, container);
  container.change.notify();
}

function wantsRestart(container: MockContainer, code: number): boolean {
  const { restart } = container.spec;
  if (container.heldDown || restart === undefined || restart.name === 'no') return false;
  if (restart.name !== 'on-failure') return true;
  return code !== 0 && (restart.maximumRetries === undefined || container.restartCount < restart.maximumRetries);
}

async function restartLater(mockState: MockState, container: MockContainer): Promise<void> {
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** container.restartCount, LONGEST_BACKOFF_MS);
  await mockState.clock.sleep(backoff);
  if (container.heldDown || container.state !== 'ended' || !mockState.containers.has(container.id)) return;
  container.restartCount++;
  startRun(mockState, container);
}

/** Runs are identified by their start time, so no two runs of a container may start at the same time. */
function later(time: string, before: string | undefined): string {
  if (before === undefined || Date.parse(time) > Date.parse(before)) return time;
  return `${new Date(Date.parse(before) + 1).toISOString().slice(0, 23)}000000Z`;
}

function bindPorts(mockState: MockState, container: MockContainer): readonly PortBinding[] {
  const taken = new Set(
    [...mockState.containers.values()]
      .filter((other) => other !== container && other.state === 'running')
      .flatMap((other) => other.ports.map(({ hostPort, protocol }) => `${hostPort}/${protocol}`)),
  );
  return (container.spec.ports ?? []).map(({ containerPort, hostPort, hostAddress = '0.0.0.0', protocol = 'tcp' }) => {
    let port = hostPort ?? FIRST_PORT;
    while (hostPort === undefined && taken.has(`${port}/${protocol}`)) port++;
    if (taken.has(`${port}/${protocol}`)) throw backendFailure(`Port ${port} is already allocated.`);
    taken.add(`${port}/${protocol}`);
    return { containerPort, protocol, hostAddress, hostPort: port };
  });
}

/** Processes of the mock: functions that print, handle signals, and return an exit code. */
import { channel } from '../channel.js';
import type { OutputChunk, OutputStream } from '../records.js';
import { exitCodeOf } from '../signals.js';

/** The interface of a program to its process. */
export interface MockProcess {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Ends immediately if nothing is attached. */
  readonly stdin: AsyncIterable<Uint8Array>;
  write(stream: OutputStream, text: string): void;
  /** Handles a signal, which then does not end the process. SIGKILL cannot be handled. */
  on(signalName: string, handler: () => void): void;
  /** Fires when a signal has ended the process. A program that waits must also wait for this. */
  readonly ended: AbortSignal;
}

export type MockProgram = (process: MockProcess) => number | Promise<number>;

export interface ProgramRequest {
  readonly kind: 'container' | 'exec' | 'healthcheck';
  readonly container: string;
  readonly command: readonly string[];
}

/** Selects the program for a command. Undefined: a service that runs until stopped. */
export type MockPrograms = (request: ProgramRequest) => MockProgram | undefined;

export interface RunningProcess {
  readonly exit: Promise<number>;
  signal(name: string): void;
}

/** Signals that end no process by default. */
const harmless = new Set(['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH']);

export function runProgram(
  program: MockProgram,
  parts: {
    readonly command: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
    readonly stdin?: AsyncIterable<Uint8Array> | undefined;
    readonly write: (stream: OutputStream, text: string) => void;
  },
): RunningProcess {
  const handlers = new Map<string, () => void>();
  const ending = new AbortController();
  let endBy: (code: number) => void = () => undefined;
  const endedBySignal = new Promise<number>((resolve) => (endBy = resolve));

  const process: MockProcess = {
    command: parts.command,
    environment: parts.environment,
    stdin: parts.stdin ?? nothing(),
    write: (stream, text) => {
      if (!ending.signal.aborted) parts.write(stream, text);
    },
    on: (name, handler) => void handlers.set(name, handler),
    ended: ending.signal,
  };
  // In a later turn of the event loop, so that the caller has recorded the start before the first line of output.
  const own = Promise.resolve().then(() => program(process));
  own.catch(() => undefined); // A program that was ended may reject.
  return {
    exit: Promise.race([own, endedBySignal]).finally(() => {
      ending.abort();
    }),
    signal(name) {
      const handler = name === 'SIGKILL' ? undefined : handlers.get(name);
      if (handler !== undefined) handler();
      else if (!harmless.has(name)) {
        endBy(exitCodeOf(name));
        ending.abort();
      }
    },
  };
}

/** The program of a service: runs until a signal ends it. */
export const service: MockProgram = ({ ended }) =>
  new Promise((resolve) => {
    if (ended.aborted) resolve(0);
    else
      ended.addEventListener(
        'abort',
        () => {
          resolve(0);
        },
        { once: true },
      );
  });

/** Runs a program whose output goes to the attached client. */
export function attachedProgram(
  program: MockProgram,
  parts: Omit<Parameters<typeof runProgram>[1], 'write'>,
): { readonly output: AsyncIterable<OutputChunk>; readonly running: RunningProcess } {
  const output = channel<OutputChunk>({ capacity: Infinity });
  const running = runProgram(program, {
    ...parts,
    write: (stream, text) => void output.push({ stream, data: Buffer.from(text) }),
  });
  running.exit.then(
    () => {
      output.end();
    },
    (error: unknown) => {
      output.fail(error);
    },
  );
  return { output, running };
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {
  // No input.
}

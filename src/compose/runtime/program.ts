/** Runs a program whose output is read while it runs. */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface RunningProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code. Rejects when the program cannot be run, and with the reason of an abort. */
  readonly exit: Promise<number>;
  end(): void;
}

export interface ProgramOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  /** The error for a program that cannot be run. */
  readonly cannotRun: (error: NodeJS.ErrnoException) => Error;
  /** Asks the program to end in a way other than SIGTERM. Settles with false if it could not. */
  readonly interrupt?: ((pid: number) => Promise<boolean>) | undefined;
  /** Ctrl-C on the terminal does not reach the program. An abort still ends it. */
  readonly apart?: boolean | undefined;
}

/** A program that does not end when it is asked to is killed. */
const GRACE_MS = 10_000;

/** An abort ends the program. */
export function startProgram(
  path: string,
  args: readonly string[],
  { environment, signal, cannotRun, interrupt, apart = false }: ProgramOptions,
): RunningProgram {
  signal?.throwIfAborted();
  const child = spawn(path, args, { env: environment, stdio: 'pipe', windowsHide: true, detached: apart });
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const { pid } = child;
    if (interrupt === undefined || pid === undefined) child.kill('SIGTERM');
    else void interrupt(pid).then((isDone) => isDone || child.kill('SIGTERM'));
    killing ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
  };
  signal?.addEventListener('abort', end, { once: true });
  // A process that ends before it has read its input is not an error of the writer.
  child.stdin.on('error', () => undefined);
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => {
      reject(cannotRun(error));
    });
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', end);
      clearTimeout(killing);
      if (signal?.aborted)
        reject(signal.reason as Error); // The caller's abort reason.
      else resolve(code ?? (killedBy === null ? 1 : 128));
    });
  });
  exit.catch(() => undefined); // The awaiting caller handles the error.
  return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exit, end };
}

/** Runs the podman command. Arguments are passed as a list, never through a shell. */
import type { Readable } from 'node:stream';
import { backendFailure, commandFailed } from '../errors.js';
import { parseJson } from '../json.js';
import { startProgram, type RunningProgram } from '../program.js';
import { podmanFailure, type Subject } from './failures.js';

export interface Podman {
  /** Values removed from error texts. */
  readonly secrets: readonly string[];
  /** Returns standard output after success. */
  run(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Does what `run` does, and parses the output as JSON. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** Starts a run whose output is read while it runs. Standard input is closed unless `withInput` is requested. */
  start(args: readonly string[], options?: StartOptions): RunningProgram;
  /** The same command, with more values to remove from error texts. */
  knowing(secrets: readonly string[]): Podman;
}

export interface RunOptions {
  /** The subject, so that its error can name it as the caller did. */
  readonly subject?: Subject;
  readonly input?: Uint8Array;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Exit codes that are not failures. */
  readonly accepts?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

export interface StartOptions extends RunOptions {
  readonly withInput?: boolean;
  readonly interrupt?: (pid: number) => Promise<boolean>;
  readonly apart?: boolean;
}

/** The maximum length of a kept error text. */
const STDERR_LIMIT = 64 * 1024;

export function podmanCommand(executable: string, base: NodeJS.ProcessEnv, secrets: readonly string[]): Podman {
  const start: Podman['start'] = (args, { environment, withInput = false, signal, interrupt, apart } = {}) => {
    const whole = { ...base, ...environment };
    const program = startProgram(executable, args, { environment: whole, signal, cannotRun, interrupt, apart });
    if (!withInput) program.stdin.end();
    return program;
  };

  const run: Podman['run'] = async (args, options = {}) => {
    // A second Ctrl-C must not end the commands that stop containers because of the first.
    const process = start(args, { ...options, withInput: options.input !== undefined, apart: true });
    if (options.input !== undefined) process.stdin.end(options.input);
    const [stdout, stderr, code] = await Promise.all([
      textOfStream(process.stdout, Infinity),
      textOfStream(process.stderr, STDERR_LIMIT),
      process.exit,
    ]);
    if (code === 0 || options.accepts?.includes(code)) return stdout;
    throw podmanFailure(stderr, options.subject ?? {}, secrets);
  };

  return {
    secrets,
    run,
    async json(args, options) {
      const value = parseJson(await run(args, options));
      if (value === undefined) throw backendFailure('Podman returned invalid JSON.');
      return value;
    },
    start,
    knowing: (more) => podmanCommand(executable, base, [...secrets, ...more]),
  };
}

/** The last `limit` bytes of a stream as text. */
export async function textOfStream(stream: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const data = chunk as Buffer; // No encoding is set.
    chunks.push(data);
    size += data.length;
    while (size > limit && chunks.length > 1) size -= chunks.shift()?.length ?? 0;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cannotRun(error: NodeJS.ErrnoException): Error {
  return error.code === 'ENOENT'
    ? commandFailed('Podman is not installed: no podman on the PATH. Install it, or use the bridge backend.', error)
    : commandFailed(`Podman cannot be run (${error.code ?? 'unknown'}).`, error);
}

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { builtCommand } from './built-command.js';

export interface CommandOptions {
  /** The command's file; default: the built command of the checkout. */
  readonly command?: string;
  /** The Node that runs it; default: that of the tests. */
  readonly runtime?: string;
  /** Settings; nothing of the tests' own environment but PATH is passed on. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
  /** Runs as this account; only root can ask for one. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Finished {
  /** null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `plumbline serve`. */
export interface ServerProcess {
  /** As it announced itself. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly finished: Promise<Finished>;
  /** The lines of the log so far. */
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
  kill(signal: NodeJS.Signals): void;
}

/** Runs a command to its end. */
export async function plumbline(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  return finish(start(options.command ?? (await builtCommand()), args, options));
}

/**
 * Starts a server on a free port and waits until it says that it is running.
 *
 * @throws Error with what it printed, when it ends instead
 */
export async function startServer(options: CommandOptions): Promise<ServerProcess> {
  const environment = {
    PORT: '0',
    SHUTDOWN_DEADLINE: '20',
    SHUTDOWN_DRAIN: '0',
    AUTH_BCRYPT_COST: '4',
    ...options.environment,
  };
  const child = start(options.command ?? (await builtCommand()), ['serve', ...(options.args ?? [])], {
    ...options,
    environment,
  });
  const finished = finish(child);
  let log = '';
  child.stdout.on('data', (chunk: string) => (log += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stderr.on('data', (chunk: string) => {
      printed += chunk;
      const announced = /running at (\S+)/.exec(printed)?.[1];
      if (announced !== undefined) resolve(announced);
    });
    finished.then(({ exitCode, stderr }) => {
      reject(new Error(`The server ended with ${exitCode}: ${stderr}`));
    }, reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    finished,
    get logLines() {
      const lines = log.split('\n').filter((line) => line !== '');
      return lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    },
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

type Command = ChildProcessByStdio<null, Readable, Readable>;

function start(command: string, args: readonly string[], { environment, account, runtime }: CommandOptions): Command {
  const child = spawn(runtime ?? process.execPath, [command, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

function finish(child: Command): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: string) => (stdout += chunk));
  child.stderr.on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
}

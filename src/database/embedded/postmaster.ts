import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';

import { isConnectionFailure } from '../failures.js';
import type { Log } from '../log.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { isAlive } from '@plumbline/contract/system/is-alive';
import { type Cluster, NAME } from './cluster.js';
import { inspectPostmaster, type Inspection, servesData } from './inspection.js';
import { dataDirectoryArgument, serverEnvironment } from './tool.js';

export interface Postmaster {
  readonly uri: string;
  readonly pid: number;
}

export interface PostmasterOptions {
  readonly cluster: Cluster;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly logger: Log;
  /** The only port to start on. Default: the previous port if it is free, otherwise any port. */
  readonly port?: number;
}

/** Time limit for a start. Recovery after a crash replays the write-ahead log before connections are accepted. */
const START_TIMEOUT_MS = 120_000;
/** A launch fails immediately if its port was just taken, or if processes of a killed server still hold its memory. */
const LAUNCH_ATTEMPTS = 5;
const POLL_MS = 20;
/**
 * Time limit for a fast shutdown, which writes a checkpoint. After that the server is killed; the next start recovers.
 */
const STOP_TIMEOUT_MS = 20_000;
const LOG_LIMIT_BYTES = 1024 * 1024;

/**
 * Returns the running server of the cluster, and launches it if necessary.
 *
 * A running server is used even if another process started it. Waits for a server that is starting or stopping.
 */
export async function ensurePostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { cluster, logger } = options;
  const deadline = Date.now() + START_TIMEOUT_MS;
  let child: ChildProcess | undefined;
  let launches = 0;
  while (Date.now() < deadline) {
    const found = inspectPostmaster(cluster.data);
    if (found.running) {
      const uri = uriOf(cluster, found.port);
      if (found.ready && (await accepts(uri))) {
        rememberPort(cluster, found.port);
        logger.debug({ pid: found.pid, port: found.port, launched: child?.pid === found.pid }, 'PostgreSQL is ready');
        return { uri, pid: found.pid };
      }
    } else if (child === undefined || hasEnded(child)) {
      if (launches === LAUNCH_ATTEMPTS) throw notStarted(cluster, 'it exited right after its start');
      if (launches > 0) await delay(200);
      launches += 1;
      child = launch(options, options.port ?? (await choosePort(cluster, launches < LAUNCH_ATTEMPTS)), found);
    }
    await delay(POLL_MS);
  }
  throw notStarted(cluster, `it was not ready after ${START_TIMEOUT_MS / 1000} s`);
}

/** Stops the server like `pg_ctl stop -m fast`: rolls back open transactions, then writes a checkpoint. */
export async function stopPostmaster(cluster: Cluster, logger: Log): Promise<void> {
  const first = inspectPostmaster(cluster.data);
  if (!first.running) return;
  const { pid } = first;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline) {
      // The lock file disappears a moment before the process, so wait for the process.
      if (!isAlive(pid) || !servesData(pid, cluster.data)) return;
      await delay(POLL_MS);
    }
    logger.warn({ pid, signal }, 'The embedded PostgreSQL does not stop');
  }
  throw new Error(`The embedded PostgreSQL (process ${pid}) did not stop`);
}

function launch({ cluster, account, binaries }: PostmasterOptions, port: number, found: Inspection): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '', // A path in the home may be longer than a socket's name can be.
    port: String(port),
    fsync: cluster.durable ? 'on' : 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Statements and error details contain personal data; our own log names the failed operation.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  const environment = serverEnvironment();
  // The lock file names a process that exists but is not a server of this data: its id was reused. PostgreSQL ignores
  // the process named in this variable, and still checks that no process of the old server is left. Removing the file
  // instead would prevent that check.
  if (!found.running && found.stalePid !== undefined) environment['PG_GRANDPARENT_PID'] = String(found.stalePid);

  const log = openLog(cluster);
  try {
    const child = spawn(
      binaries.postgres,
      [
        '-D',
        dataDirectoryArgument(cluster.data, account),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      {
        ...account,
        cwd: cluster.data,
        env: environment,
        // A separate process group and a log file: it must not die or block with this process.
        detached: true,
        stdio: ['ignore', log, log],
      },
    );
    child.on('error', () => undefined); // A failure shows as an ended child; `usableBinaries` has verified that the program runs.
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Whether a login succeeds. @throws Error when the password is refused, which waiting would not change. */
async function accepts(uri: string): Promise<boolean> {
  const sql = postgres(uri, { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => undefined });
  try {
    await sql`select 1`;
    return true;
  } catch (error) {
    if (isConnectionFailure(error)) return false;
    throw new Error('The embedded PostgreSQL refuses the login of postgres/password in its home', { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function uriOf(cluster: Cluster, port: number): string {
  return `postgres://${NAME}:${cluster.password}@127.0.0.1:${port}/${NAME}`;
}

/** The previous port if it is free, so that saved connections and attached processes can still use it. */
async function choosePort(cluster: Cluster, preferRemembered: boolean): Promise<number> {
  const file = path.join(cluster.directory, 'port');
  const remembered = preferRemembered && existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  return (remembered > 0 ? await bindable(remembered) : undefined) ?? (await bindable(0)) ?? 0;
}

function rememberPort(cluster: Cluster, port: number): void {
  writeFileSync(path.join(cluster.directory, 'port'), `${port}\n`);
}

function bindable(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ host: '127.0.0.1', port }, () => {
      const address = server.address();
      server.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : undefined);
      });
    });
  });
}

function openLog(cluster: Cluster): number {
  const file = logFile(cluster);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.previous`);
  return openSync(file, 'a', 0o600);
}

function notStarted(cluster: Cluster, reason: string): Error {
  const file = logFile(cluster);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-5) : [];
  return new Error(
    `The embedded PostgreSQL did not start: ${reason}. The end of ${file}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  );
}

function logFile(cluster: Cluster): string {
  return path.join(cluster.directory, 'server.log');
}

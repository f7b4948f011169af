import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { serverAccount } from '../../src/database/embedded/account.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);
const programs = '/usr/lib/postgresql/15/bin';

/** Stands behind the names of tests that need streaming replication. */
export const withoutReplication = existsSync(join(programs, 'pg_basebackup'))
  ? ''
  : ` (skipped: there is no pg_basebackup in ${programs}; Debian: postgresql-15)`;

export interface ReplicatedPostgres {
  readonly primaryUri: string;
  readonly standbyUri: string;
  /** Both hosts, the standby first. */
  readonly uri: string;
  /** Ends the primary like a crash. */
  crashPrimary(): Promise<void>;
  /** Stops the processes of the primary without ending them: it accepts connections, and answers nothing. */
  freezePrimary(): Promise<void>;
  /** Ends the standby like a crash. The primary then waits with each commit. */
  crashStandby(): Promise<void>;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL 15 with a synchronous standby: what the primary has committed is on the standby, too. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-replicated-'));
  const account = serverAccount(join(folder, 'none')); // PostgreSQL refuses to run as root
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const options = { ...account, cwd: folder };
  const program = (name: string, ...args: string[]): Promise<unknown> => run(join(programs, name), args, options);
  const [primary, standby] = [join(folder, 'primary'), join(folder, 'standby')];
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const uriOf = (port: number): string => `postgres://plumbline@127.0.0.1:${port}/postgres`;
  const frozen: number[] = [];
  const start = (data: string, port: number): Promise<unknown> => {
    const settings = `-h 127.0.0.1 -p ${port} -c unix_socket_directories=`;
    return program('pg_ctl', 'start', '-w', '-D', data, '-l', `${data}.log`, '-o', settings);
  };
  const stop = (data: string): Promise<unknown> => program('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data);

  await program('initdb', '-D', primary, '-U', 'plumbline', '-A', 'trust', '--no-sync', '-E', 'UTF8');
  await start(primary, primaryPort);
  const connection = `host=127.0.0.1 port=${primaryPort} user=plumbline`;
  await program('pg_basebackup', '-D', standby, '-d', connection, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
  await start(standby, standbyPort);
  const sql = postgres(uriOf(primaryPort), { max: 1 });
  await sql`alter system set synchronous_standby_names = '*'`;
  await sql`select pg_reload_conf()`;
  await sql.end();
  return {
    primaryUri: uriOf(primaryPort),
    standbyUri: uriOf(standbyPort),
    uri: `postgres://plumbline@127.0.0.1:${standbyPort},127.0.0.1:${primaryPort}/postgres?target_session_attrs=read-write`,
    crashPrimary: async () => {
      await stop(primary);
    },
    freezePrimary: async () => {
      const [line = ''] = (await readFile(join(primary, 'postmaster.pid'), 'utf8')).split('\n');
      const { stdout } = await run('ps', ['-o', 'pid=', '--pid', line, '--ppid', line]);
      const processes = stdout.split('\n').filter((each) => each.trim() !== '');
      for (const each of processes) process.kill(Number(each), 'SIGSTOP');
      frozen.push(...processes.map(Number));
    },
    crashStandby: async () => {
      await stop(standby);
    },
    promote: async () => {
      await program('pg_ctl', 'promote', '-w', '-D', standby);
    },
    stop: async () => {
      for (const each of frozen) process.kill(each, 'SIGCONT');
      await Promise.allSettled([stop(primary), stop(standby)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverAccount } from '../../src/database/embedded/account.js';
import { freePort } from '../support/free-port.js';

const run = promisify(execFile);

/** The oldest version that is supported, as Debian packages it. */
const programs = '/usr/lib/postgresql/15/bin';

/** Why there is no outside PostgreSQL on this machine; null: there is one. */
export const outsidePostgresMissing: string | null = existsSync(join(programs, 'initdb'))
  ? null
  : `there is no PostgreSQL 15 in ${programs} (Debian: postgresql-15)`;

export interface OutsidePostgres {
  readonly uri: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL 15 that is not the embedded one, with an empty database. */
export async function startOutsidePostgres(): Promise<OutsidePostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-outside-'));
  const account = serverAccount(join(directory, 'none')); // PostgreSQL refuses to run as root
  if (account !== undefined) await chown(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const port = await freePort();
  const options = { ...account, cwd: directory };
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'plumbline', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    options,
  );
  const settings = `-h 127.0.0.1 -p ${port} -c unix_socket_directories= -c fsync=off`;
  const log = join(directory, 'log');
  const control = join(programs, 'pg_ctl');
  await run(control, ['start', '-w', '-D', data, '-l', log, '-o', settings], options);
  return {
    uri: `postgres://plumbline@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await run(control, ['stop', '-w', '-m', 'fast', '-D', data], options);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

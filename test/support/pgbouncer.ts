import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { freePort } from './free-port.js';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', 'pgbouncer'].find(
  (each) => spawnSync(each, ['--version']).status === 0,
);

/** Stands behind the names of tests that need PgBouncer. */
export const withoutPgBouncer = program === undefined ? ' (skipped: pgbouncer is not installed)' : '';

export interface PgBouncer {
  /** The address of the database through the pooler. */
  readonly uri: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of a database.
 *
 * @param settings further lines of its configuration
 */
export async function startPgBouncer(databaseUri: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-pgbouncer-'));
  const target = new URL(databaseUri);
  const name = target.pathname.slice(1);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const configuration = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  await writeFile(
    configuration,
    [
      '[databases]',
      `${name} = host=${target.hostname} port=${target.port} dbname=${name}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'default_pool_size = 8',
      ...settings,
      '',
    ].join('\n'),
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program ?? '', ['-q', ...account, configuration], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  const uri = new URL(databaseUri);
  uri.host = `127.0.0.1:${port}`;
  await accepts(uri.href);
  return {
    uri: uri.href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(uri: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const sql = postgres(uri, { max: 1, prepare: false, fetch_types: false, connect_timeout: 2 });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

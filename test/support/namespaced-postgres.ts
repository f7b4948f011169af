import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverAccount } from '../../src/database/embedded/account.js';

const run = promisify(execFile);
const programs = '/usr/lib/postgresql/15/bin';

/** Stands behind the names of tests that need a network namespace with a PostgreSQL. */
export const withoutNamespaces = reasonAgainstNamespaces();

function reasonAgainstNamespaces(): string {
  if (process.getuid?.() !== 0) return ' (skipped: network namespaces need root)';
  const programsOfSystem = ['ip', 'iptables', 'setpriv'];
  const missing = programsOfSystem.find((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing !== undefined) return ` (skipped: there is no ${missing})`;
  return existsSync(join(programs, 'initdb')) ? '' : ` (skipped: there is no initdb in ${programs})`;
}

export interface NamespacedPostgres {
  readonly uri: string;
  /** Drops all packets, as a dead host or a broken network does: nothing is refused or reset. */
  dropPackets(): Promise<void>;
  heal(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL 15 in a network namespace, which a pair of virtual interfaces connects with this one. */
export async function startNamespacedPostgres(): Promise<NamespacedPostgres> {
  const id = process.pid.toString(36).slice(-6);
  const [namespace, outside, inside] = [`plumb-${id}`, `plumb-${id}-o`, `plumb-${id}-i`];
  // A network of two addresses, in the range for tests of network devices (RFC 2544).
  const network = `198.18.${(process.pid >> 6) % 256}`;
  const first = (process.pid % 64) * 4;
  const [outsideAddress, insideAddress] = [`${network}.${first + 1}`, `${network}.${first + 2}`];
  const ip = (...args: string[]): Promise<unknown> => run('ip', args);
  const within = (...args: string[]): Promise<unknown> => ip('netns', 'exec', namespace, ...args);

  const folder = await mkdtemp(join(tmpdir(), 'plumbline-namespaced-'));
  const account = serverAccount(join(folder, 'none')); // PostgreSQL refuses to run as root
  if (account === undefined) throw new Error('there is no account for PostgreSQL');
  await chown(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const options = { ...account, cwd: folder };
  await run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'plumbline', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    options,
  );
  await appendFile(join(data, 'pg_hba.conf'), `host all all ${outsideAddress}/32 trust\n`);

  await ip('netns', 'add', namespace);
  await ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace);
  await ip('addr', 'add', `${outsideAddress}/30`, 'dev', outside);
  await ip('link', 'set', outside, 'up');
  await within('ip', 'addr', 'add', `${insideAddress}/30`, 'dev', inside);
  await within('ip', 'link', 'set', inside, 'up');
  const control = (...args: string[]): Promise<unknown> =>
    within(
      ...['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'],
      ...[join(programs, 'pg_ctl'), ...args, '-w', '-D', data],
    );
  const settings = `-h ${insideAddress} -p 5432 -c unix_socket_directories=`;
  await control('start', '-l', join(folder, 'log'), '-o', settings);
  const onPackets = async (action: '-A' | '-D'): Promise<void> => {
    await within('iptables', action, 'INPUT', '-j', 'DROP');
    await within('iptables', action, 'OUTPUT', '-j', 'DROP');
  };
  return {
    uri: `postgres://plumbline@${insideAddress}:5432/postgres`,
    dropPackets: () => onPackets('-A'),
    heal: () => onPackets('-D'),
    stop: async () => {
      await control('stop', '-m', 'immediate');
      await ip('netns', 'del', namespace); // with its interfaces
      await rm(folder, { recursive: true, force: true });
    },
  };
}

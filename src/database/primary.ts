import postgres from 'postgres';

import type { DatabaseAddress, DatabaseHost } from './address.js';
import { DatabaseUnavailableError } from './failures.js';

/** The current role of a host; null: it does not answer, is starting, or is out of connections. */
type Role = 'primary' | 'standby' | null;

/** Searches in progress: connections that open at the same time share one search. */
const searches = new Map<string, Promise<DatabaseHost>>();

/**
 * Finds the first host of an address that accepts writes.
 *
 * The driver has `target_session_attrs`, too. But while no server accepts writes, it retries all of them in an endless
 * loop, and statements wait forever.
 *
 * @throws DatabaseUnavailableError when no host accepts writes within the time limit
 */
export function findPrimary({ hosts }: DatabaseAddress, timeoutMs: number): Promise<DatabaseHost> {
  return shared(hosts, timeoutMs, ['primary']);
}

/**
 * Finds a host to read from: the first standby in the order of the address; if none answers, the primary.
 *
 * @throws DatabaseUnavailableError when no host answers within the time limit
 */
export function findStandby({ hosts }: DatabaseAddress, timeoutMs: number): Promise<DatabaseHost> {
  return shared(hosts, timeoutMs, ['standby', 'primary']);
}

function shared(hosts: readonly DatabaseHost[], timeoutMs: number, wanted: readonly Role[]): Promise<DatabaseHost> {
  const key = [...wanted, ...hosts.map(({ uri }) => uri)].join(',');
  const found =
    searches.get(key) ??
    search(hosts, timeoutMs, wanted).finally(() => {
      searches.delete(key);
    });
  searches.set(key, found);
  return found;
}

/** @param wanted roles, the preferred one first */
async function search(
  hosts: readonly DatabaseHost[],
  timeoutMs: number,
  wanted: readonly Role[],
): Promise<DatabaseHost> {
  const answers = hosts.map((host) => roleOf(host, timeoutMs));
  for (const role of wanted) {
    // In order, so that a slow standby does not delay the choice of the primary.
    for (const [index, answer] of answers.entries()) {
      const host = hosts[index];
      if (host !== undefined && (await answer) === role) return host;
    }
  }
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw new DatabaseUnavailableError(
    'CONNECT_TIMEOUT',
    `None of the database servers ${names} ${wanted.includes('standby') ? 'answers' : 'takes writes'}`,
  );
}

async function roleOf({ uri }: DatabaseHost, timeoutMs: number): Promise<Role> {
  const sql = postgres(uri, {
    max: 1,
    connect_timeout: timeoutMs / 1000,
    prepare: false,
    fetch_types: false,
    backoff: false,
    onnotice: () => undefined,
    connection: { application_name: 'plumbline finds the primary' },
  });
  try {
    const [row] = await sql<{ mode: string }[]>`select current_setting('transaction_read_only') as mode`;
    return row?.mode === 'off' ? 'primary' : 'standby';
  } catch {
    return null;
  } finally {
    void sql.end({ timeout: 1 });
  }
}

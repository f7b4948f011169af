import type { Socket } from 'node:net';
import postgres from 'postgres';

import type { DatabaseAddress, DatabaseHost } from './address.js';
import { DatabaseUnavailableError } from './failures.js';
import { openSocket, parsedTarget } from './open-socket.js';

/** The current role of a host; null: it does not answer, is starting, or is out of connections. */
type Role = 'primary' | 'standby' | null;

/** Searches in progress: connections that open at the same time share one search. */
const searches = new Map<string, Promise<DatabaseHost>>();

/**
 * Finds the host of an address that accepts writes: the first one that says so, because a dead host answers last.
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
 * Finds a host to read from: the first standby that answers; if there is none, the primary.
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
  const answers = hosts.map(async (host) => ({ host, role: await roleOf(host, timeoutMs) }));
  for (const role of wanted) {
    const host = await firstWith(role, answers);
    if (host !== undefined) return host;
  }
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw new DatabaseUnavailableError(
    'CONNECT_TIMEOUT',
    `None of the database servers ${names} ${wanted.includes('standby') ? 'answers' : 'takes writes'}`,
  );
}

type Answer = Promise<{ readonly host: DatabaseHost; readonly role: Role }>;

function firstWith(role: Role, answers: readonly Answer[]): Promise<DatabaseHost | undefined> {
  const hits = answers.map(async (answer) => {
    const { host, role: actual } = await answer;
    if (actual !== role) throw new Error('The host has another role');
    return host;
  });
  return Promise.any(hits).catch(() => undefined); // no host has the role
}

async function roleOf({ uri }: DatabaseHost, timeoutMs: number): Promise<Role> {
  try {
    return (await readMode(uri, timeoutMs)) === 'off' ? 'primary' : 'standby';
  } catch {
    return null;
  }
}

/** Whether a server answers over a new connection, be it with an error. */
export async function answers(uri: string, timeoutMs: number): Promise<boolean> {
  try {
    await readMode(uri, timeoutMs);
    return true;
  } catch (error) {
    return error instanceof postgres.PostgresError;
  }
}

/**
 * Reads `transaction_read_only` over a new connection.
 *
 * @throws DatabaseUnavailableError when the server has not answered within the time limit, otherwise its error
 */
async function readMode(uri: string, timeoutMs: number): Promise<string | undefined> {
  let socket: Socket | undefined;
  const options = {
    socket: async (parsed: unknown) => (socket = await openSocket(parsedTarget(parsed), timeoutMs)),
  };
  const sql = postgres(uri, {
    ...options, // documented by the driver, but missing in its types
    max: 1,
    prepare: false,
    fetch_types: false,
    backoff: false,
    onnotice: () => undefined,
    connection: { application_name: 'plumbline finds the primary' },
  });
  // The driver's limit ends with the login. A pooler whose server is silent still answers that.
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DatabaseUnavailableError('CONNECT_TIMEOUT', `The database did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  const read = sql<{ mode: string }[]>`select current_setting('transaction_read_only') as mode`;
  try {
    const [row] = await Promise.race([read, expired]);
    return row?.mode;
  } finally {
    clearTimeout(timer);
    // A silent server would not confirm the end of the connection.
    void sql.end({ timeout: 1 }).finally(() => socket?.destroy());
  }
}

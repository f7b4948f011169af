/** Parses connection strings. */
import { filePath } from '../../analytics/address.js';
import { clickHouseUrl } from '../../analytics/clickhouse/hosts.js';
import type { DatabaseKind } from './sink.js';

const SCHEMES: Readonly<Record<string, DatabaseKind>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mongodb: 'mongo',
  'mongodb+srv': 'mongo',
  sqlite: 'sqlite',
  clickhouse: 'clickhouse',
  'clickhouse+http': 'clickhouse',
  'clickhouse+https': 'clickhouse',
  chdb: 'clickhouse',
};

/**
 * Where to connect: `address` is what the kind's driver takes, and `chdb:path` the ClickHouse that runs in this process;
 * `embedded` is the built-in PostgreSQL.
 */
export type DatabaseAddress = { readonly kind: DatabaseKind; readonly address: string } | { readonly kind: 'embedded' };

/**
 * Reads a connection string.
 *
 * @param connection the string as given; a driver suffix such as `postgresql+asyncpg` is accepted and ignored
 * @param forced the kind that `--db-type` names; it also allows schemes that say nothing, such as https or a path
 * @returns the address, or what is wrong (without the string itself, which may hold a password)
 */
export function parseConnection(
  connection: string,
  forced?: DatabaseKind,
): DatabaseAddress | { readonly problem: string } {
  if (connection === 'embedded:') return { kind: 'embedded' };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(connection)?.[1]?.toLowerCase();
  const kind = forced ?? kindOfScheme(scheme);
  if (kind === undefined) {
    const found = scheme === undefined ? 'it has no scheme' : `the scheme ${scheme} names none`;
    return {
      problem: `cannot tell the kind of database: ${found}. Use ${Object.keys(SCHEMES).join(', ')} or embedded:, or give --db-type`,
    };
  }
  const address = addressFor(kind, connection);
  return address === undefined ? { problem: `is not a ${kind} connection string` } : { kind, address };
}

function kindOfScheme(scheme: string | undefined): DatabaseKind | undefined {
  if (scheme === undefined) return undefined;
  return SCHEMES[scheme] ?? SCHEMES[scheme.split('+')[0] ?? ''];
}

function addressFor(kind: DatabaseKind, connection: string): string | undefined {
  const rest = connection.replace(/^[a-z][a-z0-9+.-]*:/i, '');
  if (kind === 'sqlite') return sqlitePath(connection, rest);
  if (kind === 'clickhouse' && /^chdb:/i.test(connection)) return chdbAddress(rest);
  if (!rest.startsWith('//') || rest.length < 3) return undefined;
  if (kind === 'postgres') return `postgres:${rest}`;
  if (kind === 'mongo') return /^mongodb(\+srv)?:/i.test(connection) ? connection : `mongodb:${rest}`;
  return clickHouseUrl(rest, /^(clickhouse\+)?https:/i.test(connection));
}

/** `sqlite:///relative`, `sqlite:////absolute` (as other tools write it), `sqlite:path` and a bare path with --db-type. */
function sqlitePath(connection: string, rest: string): string | undefined {
  if (!/^sqlite/i.test(connection)) return connection === '' ? undefined : connection;
  return filePath(rest);
}

function chdbAddress(rest: string): string | undefined {
  const path = filePath(rest);
  return path === undefined ? undefined : `chdb:${path}`;
}

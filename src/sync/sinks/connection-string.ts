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
 * A parsed address. `address` is the format of the kind's driver; `chdb:path` is the ClickHouse engine in this process.
 * `embedded` is the built-in PostgreSQL.
 */
export type DatabaseAddress = { readonly kind: DatabaseKind; readonly address: string } | { readonly kind: 'embedded' };

/**
 * Parses a connection string.
 *
 * @param connection the string as given; a driver suffix such as `postgresql+asyncpg` is accepted and ignored
 * @param forced the kind set by `--db-type`; it also allows ambiguous schemes such as https, and paths
 * @returns the address, or the problem (without the string, which may contain a password)
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
      problem: `cannot determine the kind of database: ${found}. Use ${Object.keys(SCHEMES).join(', ')} or embedded:, or set --db-type`,
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

/** `sqlite:///relative`, `sqlite:////absolute` (the common notation), `sqlite:path`, or a plain path with --db-type. */
function sqlitePath(connection: string, rest: string): string | undefined {
  if (!/^sqlite/i.test(connection)) return connection === '' ? undefined : connection;
  return filePath(rest);
}

function chdbAddress(rest: string): string | undefined {
  const path = filePath(rest);
  return path === undefined ? undefined : `chdb:${path}`;
}

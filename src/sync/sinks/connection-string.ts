/** Which kind of database a connection string names. */
import { parseAnalyticsUri } from '../../analytics/address.js';
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
  if (kind === 'clickhouse' && /^chdb:/i.test(connection)) return chdbAddress(connection);
  if (!rest.startsWith('//') || rest.length < 3) return undefined;
  if (kind === 'postgres') return `postgres:${rest}`;
  if (kind === 'mongo') return /^mongodb(\+srv)?:/i.test(connection) ? connection : `mongodb:${rest}`;
  const secure = /^(clickhouse\+)?https:/i.test(connection) || /[?&]secure=(true|1)\b/.test(connection);
  const address = withoutSecure(`${secure ? 'https' : 'http'}:${rest}`);
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // ClickHouse's own HTTP ports, not those of the web.
  if (url.port === '' && !/:\d+(\/|$|\?)/.test(rest)) url.port = secure ? '8443' : '8123';
  return url.href;
}

function withoutSecure(address: string): string {
  return address.replace(/([?&])secure=(true|1|false|0)(&|$)/, (_match, before: string, _value, after: string) =>
    after === '&' ? before : '',
  );
}

/** `sqlite:///relative`, `sqlite:////absolute` (as other tools write it), `sqlite:path` and a bare path with --db-type. */
function sqlitePath(connection: string, rest: string): string | undefined {
  if (!/^sqlite/i.test(connection)) return connection === '' ? undefined : connection;
  const path = rest.startsWith('///') ? rest.slice(3) : rest.startsWith('//') ? rest.slice(2) : rest;
  const clean = decodeURIComponent(path.replace(/\?.*$/, ''));
  return clean === '' ? undefined : clean;
}

/** As the analytics read it, so that both open the same directory. */
function chdbAddress(connection: string): string | undefined {
  try {
    const { kind, address } = parseAnalyticsUri(connection.replace(/^chdb:/i, 'chdb:'));
    return `${kind}:${address}`;
  } catch {
    return undefined;
  }
}

/** Which engine an analytics address names. */

/** `address` is what the engine's driver takes: a URL, or a path for `sqlite` and `chdb`. */
export interface AnalyticsAddress {
  readonly kind: 'postgres' | 'clickhouse' | 'chdb' | 'sqlite';
  readonly address: string;
}

const FORMS =
  'postgres://user:password@host:5432/name, clickhouse://user:password@host:8123/name (clickhouse+https:// with TLS), chdb:path or sqlite:path';

/**
 * Reads ANALYTICS_URI.
 *
 * @param uri as given
 * @throws Error with the forms that it can have; the address itself, which may hold a password, is not in it
 */
export function parseAnalyticsUri(uri: string): AnalyticsAddress {
  const [, scheme, rest] = /^([a-z+]+):(.*)$/s.exec(uri) ?? [];
  const address = scheme === undefined || rest === undefined ? undefined : read(scheme, rest);
  if (address === undefined) throw new Error(`The analytics address cannot be used: it is not one of ${FORMS}.`);
  return address;
}

function read(scheme: string, rest: string): AnalyticsAddress | undefined {
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return URL.canParse(`postgres:${rest}`) && rest.startsWith('//')
        ? { kind: 'postgres', address: `postgres:${rest}` }
        : undefined;
    case 'clickhouse':
    case 'clickhouse+http':
    case 'clickhouse+https':
      return of('clickhouse', clickHouseUrl(rest, scheme === 'clickhouse+https'));
    case 'chdb':
    case 'sqlite':
      return of(scheme, filePath(rest));
    default:
      return undefined;
  }
}

function of(kind: AnalyticsAddress['kind'], address: string | undefined): AnalyticsAddress | undefined {
  return address === undefined ? undefined : { kind, address };
}

/**
 * The http(s) address of a ClickHouse server, with ClickHouse's own port where none is written.
 *
 * @param rest what follows the scheme, from `//` on; `secure=true` in its query asks for TLS as well
 */
export function clickHouseUrl(rest: string, withTls: boolean): string | undefined {
  const text = `http:${rest}`;
  if (!rest.startsWith('//') || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const secure = withTls || ['true', '1'].includes(url.searchParams.get('secure') ?? '');
  url.searchParams.delete('secure');
  // ClickHouse's own ports, not those of the web; a URL does not tell whether its scheme's port was written.
  const port = /^\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(rest)?.[1] ?? (secure ? '8443' : '8123');
  const path = `${url.pathname}${url.search}`;
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
  return `${secure ? 'https' : 'http'}://${user}${url.hostname}:${port}${path}`;
}

/**
 * The path that follows the scheme: `sqlite:path`, `sqlite:///relative` and `sqlite:////absolute`, as other tools write
 * it. Undefined for one that is empty, or not encoded as URLs are.
 */
export function filePath(rest: string): string | undefined {
  const path = rest.startsWith('///') ? rest.slice(3) : rest.startsWith('//') ? rest.slice(2) : rest;
  const clean = decoded(path.replace(/\?.*$/s, ''));
  return clean === '' ? undefined : clean;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

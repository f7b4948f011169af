/** The address of a database, and its parsed form. */
export interface DatabaseAddress {
  /** Without Plumbline's parameters. It names the first host. */
  readonly uri: string;
  /** All hosts, in the order of the address. One of several is a primary, and the others are standbys. */
  readonly hosts: readonly DatabaseHost[];
  /**
   * Whether a pooler in transaction mode, such as PgBouncer, is in front of PostgreSQL: sessions end with each
   * transaction. Session state must not be used: startup parameters, named prepared statements, `set`, session-level
   * advisory locks.
   */
  readonly isPooled: boolean;
  /** Whether queries that only read may be answered by a standby (`target_session_attrs=prefer-standby`). */
  readonly prefersStandby: boolean;
}

export interface DatabaseHost {
  /** The address with this host alone. */
  readonly uri: string;
  readonly host: string;
  readonly port: number;
}

const EXAMPLE = 'postgres://user:password@host:5432/name';

/**
 * Parses the address of PostgreSQL: one server, several of which one is the primary
 * (`postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write`), or a pooler in front of one
 * (`?pooler=transaction`). With `target_session_attrs=prefer-standby` the analytics read from a standby.
 *
 * @throws Error with the problem of the address
 */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const uris = withOneHost(text);
  const urls = uris.map((uri) => (URL.canParse(uri) ? new URL(uri) : null));
  const [url] = urls;
  if (url == null || urls.includes(null)) throw unusable('it is not a URL');
  if (!['postgres:', 'postgresql:'].includes(url.protocol)) throw unusable('it does not begin with postgres://');
  const pooler = url.searchParams.get('pooler') ?? 'none';
  if (pooler !== 'none' && pooler !== 'transaction') throw unusable('pooler must be transaction or none');
  const target = url.searchParams.get('target_session_attrs') ?? 'read-write';
  const prefersStandby = target === 'prefer-standby';
  if (target !== 'read-write' && target !== 'primary' && !prefersStandby) {
    throw unusable('target_session_attrs must be read-write or, for analytics, prefer-standby');
  }
  const hosts = uris.map((uri) => ({ uri: withoutParameters(uri), ...hostOf(uri) }));
  return { uri: hosts[0]?.uri ?? text, hosts, isPooled: pooler === 'transaction', prefersStandby };
}

/** An address for each of the hosts. `URL` cannot parse several hosts with ports. */
function withOneHost(text: string): string[] {
  const [, before, hosts, after] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) return [text];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

function withoutParameters(uri: string): string {
  const url = new URL(uri);
  // An address without the parameters stays unchanged: `URL` would re-encode parts of it.
  const ours = ['pooler', 'target_session_attrs'].filter((name) => url.searchParams.has(name));
  if (ours.length === 0) return uri;
  for (const name of ours) url.searchParams.delete(name);
  return url.href;
}

function hostOf(uri: string): { host: string; port: number } {
  const { hostname, port } = new URL(uri);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 5432 : Number(port) };
}

function unusable(problem: string): Error {
  return new Error(`The database address cannot be used: ${problem}. Use ${EXAMPLE}`);
}

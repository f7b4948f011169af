/** The hosts and the cluster of an address of ClickHouse. */

export interface ClickHouseHosts {
  /** One http(s) address per host, with the database as its path. */
  readonly urls: readonly string[];
  /** Undefined: a single server. */
  readonly cluster: string | undefined;
}

/** A name, or a macro such as `{cluster}`. It is part of statements, where no parameter can be. */
const CLUSTER = /^(?:[\w.-]+|\{[\w.-]+\})$/;

/**
 * Reads the part of a connection string after its scheme: `//user:password@host1:8123,host2/name?cluster=main`.
 *
 * @param withTls whether the scheme says so; `secure=true` in the query also enables TLS
 * @returns the driver's address, which `hostsOf` splits; undefined if it is invalid
 */
export function clickHouseUrl(rest: string, withTls: boolean): string | undefined {
  const [, user = '', list = '', path = ''] = /^\/\/([^@/?#]*@)?([^/?#]*)(.*)$/s.exec(rest) ?? [];
  const hosts = list.split(',');
  if (!hosts.every((host) => host !== '' && URL.canParse(`http://${user}${host}${path}`))) return undefined;
  const url = new URL(`http://${user}${hosts[0] ?? ''}${path}`);
  const secure = withTls || ['true', '1'].includes(url.searchParams.get('secure') ?? '');
  url.searchParams.delete('secure');
  const cluster = url.searchParams.get('cluster');
  if (cluster !== null && !CLUSTER.test(cluster)) return undefined;
  // Without a cluster, servers do not have each other's rows.
  if (hosts.length > 1 && cluster === null) return undefined;
  // ClickHouse's default ports, not those of HTTP.
  const withPorts = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:${secure ? '8443' : '8123'}`));
  return `${secure ? 'https' : 'http'}://${user}${withPorts.join(',')}${url.pathname}${url.search}`;
}

/** Splits an address that `clickHouseUrl` returned. */
export function hostsOf(address: string): ClickHouseHosts {
  const [, scheme = '', user = '', list = '', path = ''] =
    /^(https?:\/\/)([^@/?#]*@)?([^/?#]*)(.*)$/s.exec(address) ?? [];
  const [name = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  const cluster = parameters.get('cluster') ?? undefined;
  parameters.delete('cluster');
  const settings = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return { urls: list.split(',').map((host) => `${scheme}${user}${host}${name}${settings}`), cluster };
}

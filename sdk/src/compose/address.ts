/** The parsed address of a compose server. */
export type Endpoint =
  | { readonly scheme: 'unix'; readonly path: string }
  /** IPv6 addresses without brackets. */
  | { readonly scheme: 'tcp' | 'tls'; readonly host: string; readonly port: number };

/**
 * Parses an address of `plumbline compose serve --listen`: `unix:///path`, `tcp://host:port` or `tls://host:port`.
 *
 * @throws TypeError for any other text
 */
export function parseAddress(address: string): Endpoint {
  const [, path] = /^unix:\/\/(\/.*[^/])$/s.exec(address) ?? [];
  if (path !== undefined) return { scheme: 'unix', path };
  const [, scheme, bracketed, plain = '', port] =
    /^(tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+)):(\d{1,5})$/i.exec(address) ?? [];
  if (scheme === undefined || Number(port) > 65_535) {
    throw new TypeError('address must be unix:///path/to/socket, tcp://host:port or tls://host:port');
  }
  const isTls = scheme.toLowerCase() === 'tls';
  return { scheme: isTls ? 'tls' : 'tcp', host: bracketed ?? plain, port: Number(port) };
}

/** The base URL of requests; for a Unix socket, its host is used only in the `Host` header. */
export function baseUrlOf(endpoint: Endpoint): string {
  if (endpoint.scheme === 'unix') return 'http://localhost';
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
  return `${endpoint.scheme === 'tls' ? 'https' : 'http'}://${host}:${endpoint.port}`;
}

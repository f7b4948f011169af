/** Where `compose serve` listens, and where a client finds it: `--listen` and `--remote`. */
import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { failure } from '../model/errors.js';

export type ListenAddress =
  /** `path` is absolute. */
  | { readonly scheme: 'unix'; readonly path: string }
  /** `host` is a name or an address, IPv6 without its brackets; `port` 0 lets the system choose. */
  | { readonly scheme: 'tcp' | 'tls'; readonly host: string; readonly port: number };

/**
 * Reads `unix:///path/to/socket`, `tcp://host:port` or `tls://host:port`.
 *
 * @param home what `~` at the start of a socket's path stands for
 * @throws ListenAddressError malformed, missingHostOrPort or unsupportedScheme
 */
export function parseListenAddress(input: string, home: string): ListenAddress {
  const [, schemeText, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(input) ?? [];
  // Control characters have no place in any of the forms, and must not reach a terminal in the error.
  if (schemeText === undefined || rest === undefined || /[\u0000-\u001f\u007f]/.test(input)) throw malformed(input);
  const scheme = schemeText.toLowerCase(); // RFC 3986, section 3.1
  if (scheme === 'unix') return { scheme, path: socketPath(rest, home, input) };
  if (scheme === 'tcp' || scheme === 'tls') return { scheme, ...hostAndPort(rest, input) };
  throw failure('ListenAddressError', 'unsupportedScheme', { input });
}

/** The address as it is written: what `parseListenAddress` reads back. */
export function listenAddressText(address: ListenAddress): string {
  if (address.scheme === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.scheme}://${host}:${address.port}`;
}

/** Does nobody but this machine reach it? */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}

function socketPath(text: string, home: string, input: string): string {
  const path = text === '~' || text.startsWith('~/') ? join(home, text.slice(1)) : text;
  // A relative path would name another socket in each working directory.
  if (!isAbsolute(path) || path.endsWith('/')) throw malformed(input);
  return path;
}

function hostAndPort(text: string, input: string): { host: string; port: number } {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || !/^\d{0,5}$/.test(portText) || Number(portText) > 65_535) throw malformed(input);
  if (host === '' || portText === '') throw failure('ListenAddressError', 'missingHostOrPort', { input });
  const isHost = bracketed === undefined ? /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?$/i.test(host) : isIPv6(host);
  if (!isHost) throw malformed(input);
  return { host, port: Number(portText) };
}

function malformed(input: string): Error {
  return failure('ListenAddressError', 'malformed', { input: input.replace(/[\u0000-\u001f\u007f]/g, '?') });
}

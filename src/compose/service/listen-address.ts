/** The addresses of `--listen` and `--remote`. */
import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { failure } from '../model/errors.js';

export type ListenAddress =
  /** `path` is absolute. */
  | { readonly scheme: 'unix'; readonly path: string }
  /** `host` is a name or an address, IPv6 without brackets; with `port` 0 the system chooses the port. */
  | { readonly scheme: 'tcp' | 'tls'; readonly host: string; readonly port: number };

/**
 * Parses `unix:///path/to/socket`, `tcp://host:port` or `tls://host:port`.
 *
 * @param home the directory that `~` at the start of a socket path means
 * @throws ListenAddressError malformed, missingHostOrPort or unsupportedScheme
 */
export function parseListenAddress(input: string, home: string): ListenAddress {
  const [, schemeText, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(input) ?? [];
  // Control characters are invalid in all forms, and must not reach a terminal in the error.
  if (schemeText === undefined || rest === undefined || /[\u0000-\u001f\u007f]/.test(input)) throw malformed(input);
  const scheme = schemeText.toLowerCase(); // RFC 3986, section 3.1
  if (scheme === 'unix') return { scheme, path: socketPath(rest, home, input) };
  if (scheme === 'tcp' || scheme === 'tls') return { scheme, ...hostAndPort(rest, input) };
  throw failure('ListenAddressError', 'unsupportedScheme', { input });
}

/** Formats an address for `parseListenAddress`. */
export function listenAddressText(address: ListenAddress): string {
  if (address.scheme === 'unix') return `unix://${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.scheme}://${host}:${address.port}`;
}

/** Whether only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}

function socketPath(text: string, home: string, input: string): string {
  const path = text === '~' || text.startsWith('~/') ? join(home, text.slice(1)) : text;
  // The meaning of a relative path would depend on the working directory.
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

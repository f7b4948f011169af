import { isIPv6 } from 'node:net';

/** `host[:port]`, as a URL has it. */
export interface Host {
  /** A name or an address, IPv6 without brackets. */
  readonly name: string;
  readonly port: number | null;
}

/** Reads `host[:port]`. @returns null when it is something else, such as a URL */
export function hostOf(text: string): Host | null {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const name = bracketed ?? plain;
  if (name === undefined || Number(port ?? 0) > 65_535) return null;
  if (bracketed !== undefined && !isIPv6(bracketed)) return null;
  return { name, port: port === undefined ? null : Number(port) };
}

/** The values of the `Host` header that mean a host, in lower case. Clients of http leave out port 80. */
export function headersOf({ name, port }: Host): readonly string[] {
  const inUrl = nameInUrl(name).toLowerCase();
  if (port === null) return [inUrl];
  return [`${inUrl}:${port}`, ...(port === 80 ? [inUrl] : [])];
}

/** A name as a URL has it: IPv6 in brackets. */
export function nameInUrl(name: string): string {
  return name.includes(':') ? `[${name}]` : name;
}

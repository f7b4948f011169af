/** A wrong argument, an unreadable document or an unreachable server: exit code 2, and one line that says what to do. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Where a server listens: `8080`, `:8080`, `127.0.0.1:8080` or `[::1]:8080`. Without a host, the loopback address. */
export function parseListen(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^:[\]]*)):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new UsageError(`${text} is not an address to listen on. Write a port, or host:port such as 127.0.0.1:8080.`);
  }
  return { host: match[1] ?? (match[2] === undefined || match[2] === '' ? '127.0.0.1' : match[2]), port };
}

/** An absolute HTTP or HTTPS URL without credentials or a query. */
export function parseTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new UsageError(`${text} is not an address of a server. Write it as http://127.0.0.1:3000.`);
  }
  return url;
}

/** A port to listen on; 0 asks for any that is free. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`${text} is not a port. Write a number.`);
  return Number(text);
}

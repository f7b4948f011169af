import type { PlatformSettings } from './settings.js';

/** The URL of a server with these settings for a browser on this machine. */
export function localUrl({ host, port }: Pick<PlatformSettings, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port === 0 ? 8080 : port}`;
}

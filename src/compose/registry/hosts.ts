import { isIP } from 'node:net';

/** The host that answers for the registry of a name. */
export function apiHost(registry: string): string {
  return registry === 'docker.io' ? 'registry-1.docker.io' : registry;
}

/** Whether a host, with or without a port, is this machine: there, engines accept registries without TLS. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]+$/, '').replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Keys that the model reads but no backend supports. Each is reported, so that nothing is ignored silently. */
import type { Project } from '../model/project/project.js';
import type { Service } from '../model/project/service.js';

const LEFT_OUT: readonly (readonly [key: string, isUsed: (service: Service) => boolean])[] = [
  ['links with network_mode bridge', ({ links = [], network_mode: mode }) => links.length > 0 && mode === 'bridge'],
  ['external_links', ({ external_links: links = [] }) => links.length > 0],
  ['volumes.volume.labels', ({ volumes = [] }) => has(volumes, (each) => each.volume?.labels !== undefined)],
  ['volumes.bind.recursive', ({ volumes = [] }) => has(volumes, (each) => each.bind?.recursive !== undefined)],
];

/** Returns one sentence per key in use. */
export function unsupportedKeys({ services }: Project): string[] {
  return LEFT_OUT.flatMap(([key, isUsed]) => {
    const users = Object.entries(services).flatMap(([name, service]) => (isUsed(service) ? [name] : []));
    return users.length === 0
      ? []
      : [`'${key}' has no effect: no backend supports it (services: ${users.join(', ')}).`];
  });
}

function has<V>(entries: Readonly<Record<string, V>> | readonly V[], test: (entry: V) => boolean): boolean {
  return Object.values(entries).some(test);
}

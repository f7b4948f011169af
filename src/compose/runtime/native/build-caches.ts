/** Converts the caches of a build to arguments of `podman build`, which keeps them in repositories of a registry. */
import { notSupported } from '../errors.js';
import type { BuildSpec } from '../spec.js';
import { each } from './options.js';

/**
 * @throws RuntimeError.notSupported for other kinds of caches, names with a tag, and several caches, of which Podman 4.3
 *   would use the last
 */
export function cacheArguments({ cacheFrom = [], cacheTo = [] }: BuildSpec): string[] {
  return [
    ...each('--cache-from', repositories('build.cache_from', cacheFrom)),
    ...each('--cache-to', repositories('build.cache_to', cacheTo)),
  ];
}

function repositories(key: string, caches: readonly string[]): string[] {
  if (caches.length > 1) throw notSupported(`${key} with several caches`, 'native');
  return caches.map((cache) => {
    const repository = cache.includes('=') ? registryCache(key, cache) : cache;
    if (/[:@][^/]*$/.test(repository)) throw notSupported(`${key} with a tag or digest`, 'native');
    return repository;
  });
}

/** The repository of `type=registry,ref=<repository>`. All stages are exported, as with `mode=max`. */
function registryCache(key: string, cache: string): string {
  const attributes = new Map(cache.split(',').map((attribute) => [before(attribute), after(attribute)]));
  const { ref, type, mode = 'max', ...others } = Object.fromEntries(attributes);
  if (type !== 'registry') throw notSupported(`${key} with type=${type ?? ''}`, 'native');
  const [other] = Object.keys(others);
  if (other !== undefined) throw notSupported(`${key} with ${other}`, 'native');
  if (mode !== 'max') throw notSupported(`${key} with mode=${mode}`, 'native');
  if (ref === undefined) throw notSupported(`${key} without ref`, 'native');
  return ref;
}

function before(attribute: string): string {
  return attribute.replace(/=.*/, '').trim();
}

function after(attribute: string): string {
  return attribute.replace(/^[^=]*=?/, '').trim();
}

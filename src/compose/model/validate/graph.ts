import { own } from '../project/records.js';
import type { Service } from '../project/service.js';

/**
 * Finds a cycle between services.
 *
 * @param dependenciesOf the names that a service refers to; those of no service are ignored
 * @returns the names along the cycle, with the first repeated at the end, or undefined
 */
export function findCycle(
  services: Readonly<Record<string, Service>>,
  dependenciesOf: (service: Service) => readonly string[],
): string[] | undefined {
  const finished = new Set<string>();
  const following = (name: string): string[] => {
    const service = own(services, name);
    return service === undefined ? [] : dependenciesOf(service).filter((other) => Object.hasOwn(services, other));
  };
  for (const start of Object.keys(services)) {
    const cycle = cycleFrom(start, following, finished);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Depth first with an explicit stack, because a dependency chain may be longer than the call stack. */
function cycleFrom(start: string, following: (name: string) => string[], finished: Set<string>): string[] | undefined {
  const trail = new Map<string, string[]>();
  if (!finished.has(start)) trail.set(start, following(start));
  const order = [...trail.keys()];
  for (let name = order.at(-1); name !== undefined; name = order.at(-1)) {
    const next = trail.get(name)?.pop();
    if (next === undefined) {
      trail.delete(name);
      order.pop();
      finished.add(name);
    } else if (trail.has(next)) {
      return [...order.slice(order.indexOf(next)), next];
    } else if (!finished.has(next)) {
      trail.set(next, following(next));
      order.push(next);
    }
  }
  return undefined;
}

import { own } from '../project/records.js';
import type { Service } from '../project/service.js';

/**
 * Finds a dependency cycle between services.
 *
 * @returns the names along the cycle, with the first repeated at the end, or undefined
 */
export function findCycle(services: Readonly<Record<string, Service>>): string[] | undefined {
  const finished = new Set<string>();
  for (const start of Object.keys(services)) {
    const cycle = cycleFrom(start, services, finished);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** Depth first with an explicit stack, because a dependency chain may be longer than the call stack. */
function cycleFrom(
  start: string,
  services: Readonly<Record<string, Service>>,
  finished: Set<string>,
): string[] | undefined {
  const trail = new Map<string, string[]>();
  if (!finished.has(start)) trail.set(start, dependenciesOf(start, services));
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
      trail.set(next, dependenciesOf(next, services));
      order.push(next);
    }
  }
  return undefined;
}

function dependenciesOf(name: string, services: Readonly<Record<string, Service>>): string[] {
  return Object.keys(own(services, name)?.depends_on ?? {}).filter((dependency) => Object.hasOwn(services, dependency));
}

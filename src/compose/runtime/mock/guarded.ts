/** Runs each of the mock's operations on the current state of a file. */
import type { Engine } from '../engine/engine.js';
import type { Keeper } from './state-file.js';

/** Operations that last as long as a container runs. They start from the current state and do not hold the lock. */
const WAITING = new Set(['untilEnded']);
/** Operations that act while their result is iterated. */
const ITERATED = new Set(['pull', 'push', 'build']);

export function guarded(engine: Engine, keep: Keeper): Engine {
  return {
    ...engine,
    containers: guardedGroup(engine.containers, keep),
    images: guardedGroup(engine.images, keep),
    volumes: guardedGroup(engine.volumes, keep),
    networks: guardedGroup(engine.networks, keep),
    system: guardedGroup(engine.system, keep),
    ...(engine.secrets && { secrets: guardedGroup(engine.secrets, keep) }),
  };
}

function guardedGroup<Group extends object>(group: Group, keep: Keeper): Group {
  const wrapped = Object.entries(group).map(([method, act]) => {
    // Every member of a group is an operation.
    const operation = act as (...args: unknown[]) => Promise<unknown>;
    return [method, guardedOperation(method, operation, keep)];
  });
  // Every operation is replaced by a wrapper with the same signature.
  return Object.fromEntries(wrapped) as Group;
}

function guardedOperation(
  method: string,
  operation: (...args: unknown[]) => Promise<unknown>,
  keep: Keeper,
): (...args: unknown[]) => Promise<unknown> {
  if (ITERATED.has(method)) return (...args) => Promise.resolve(atOnce(() => operation(...args), keep));
  if (!WAITING.has(method)) return (...args) => keep(() => operation(...args));
  return async (...args) => {
    await keep(() => Promise.resolve());
    return operation(...args);
  };
}

async function* atOnce(operation: () => Promise<unknown>, keep: Keeper): AsyncGenerator<unknown, void> {
  yield* await keep(async () => {
    const items: unknown[] = [];
    for await (const item of (await operation()) as AsyncIterable<unknown>) items.push(item); // Both operations return one.
    return items;
  });
}

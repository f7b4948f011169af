/** Runs operations in dependency order, in parallel where the graph allows. */
import { setMaxListeners } from 'node:events';

/**
 * Visits every name after its dependencies. Dependencies that are not among the names count as met. When a visit fails,
 * no further visit starts, the signal cancels those in progress, and the failure is thrown once all have settled.
 *
 * @param names without dependency cycles
 * @param limit the number of concurrent visits
 */
export async function inDependencyOrder(
  names: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
  visit: (name: string, signal: AbortSignal) => Promise<void>,
  { signal, limit = Infinity }: { readonly signal: AbortSignal; readonly limit?: number },
): Promise<void> {
  const known = new Set(names);
  const unmet = new Map(names.map((name) => [name, new Set(dependenciesOf(name).filter((each) => known.has(each)))]));
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  // Each operation in progress adds a listener, so many listeners are not a leak.
  setMaxListeners(0, either);
  const underWay = new Map<string, Promise<void>>();
  const failures: unknown[] = [];

  const finish = (name: string): void => {
    underWay.delete(name);
    for (const dependencies of unmet.values()) dependencies.delete(name);
  };
  const begin = (name: string): void => {
    unmet.delete(name);
    const running = visit(name, either).then(
      () => {
        finish(name);
      },
      (error: unknown) => {
        finish(name);
        failures.push(error);
        failed.abort(error);
      },
    );
    underWay.set(name, running);
  };
  for (;;) {
    const ready = either.aborted ? [] : [...unmet].filter(([, dependencies]) => dependencies.size === 0);
    for (const [name] of ready.slice(0, limit - underWay.size)) begin(name);
    if (underWay.size === 0) break;
    await Promise.race(underWay.values());
  }
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
  if (unmet.size > 0) throw new Error(`Dependency cycle between ${[...unmet.keys()].join(', ')}.`);
}

/**
 * Works like `inDependencyOrder`, in several stages: each stage of a name follows its previous stage and the same stage of its
 * dependencies. Stages of different names may overlap.
 */
export async function inStages(
  names: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
  stages: readonly ((name: string, signal: AbortSignal) => Promise<void>)[],
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const visits = new Map<string, StageVisit>(
    stages.flatMap((visit, stage) =>
      names.map((name) => {
        const after = [`${stage - 1} ${name}`, ...dependenciesOf(name).map((other) => `${stage} ${other}`)];
        return [`${stage} ${name}`, { after, visit: (signal: AbortSignal) => visit(name, signal) }] as const;
      }),
    ),
  );
  await inDependencyOrder(
    [...visits.keys()],
    (key) => visits.get(key)?.after ?? [],
    async (key, signal) => visits.get(key)?.visit(signal),
    options,
  );
}

interface StageVisit {
  /** The visits that must finish first. */
  readonly after: readonly string[];
  readonly visit: (signal: AbortSignal) => Promise<void>;
}

/** Reverses the graph, for taking things down. */
export function reversed(
  names: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
): (name: string) => readonly string[] {
  const dependants = new Map<string, string[]>();
  for (const name of names) {
    for (const dependency of dependenciesOf(name)) {
      dependants.set(dependency, [...(dependants.get(dependency) ?? []), name]);
    }
  }
  return (name) => dependants.get(name) ?? [];
}

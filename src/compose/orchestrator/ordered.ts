/** Runs acts in the order of a graph, at the same time where the graph allows. */
import { setMaxListeners } from 'node:events';

/**
 * Visits every name after those it depends on. Dependencies that are not among the names count as met. When a visit
 * fails, no other begins, those under way are told by their signal, and once all have settled the failure is thrown.
 *
 * @param names without circles
 * @param limit how many visits may be under way
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
  // Each act that is under way listens: many are no leak.
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
}

/**
 * The same in several stages: each stage of a name comes after its stage before, and after the same stage of those that
 * the name depends on. So the stages of different names overlap.
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
  /** The visits that come before. */
  readonly after: readonly string[];
  readonly visit: (signal: AbortSignal) => Promise<void>;
}

/** The graph turned around: who must go before a name when things are taken down. */
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

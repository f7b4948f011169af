/** Waits until all dependencies of a service satisfy their conditions. */
import type { DependencyCondition } from '../model/project/service.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { ContainerName } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import { ComposeWaitError } from './errors.js';
import type { Orchestration } from './orchestration.js';
import { waitForCondition } from './wait.js';

export interface AwaitedDependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** False: continue with a warning if the condition is not met. */
  readonly required: boolean;
  /** Its restart policy restarts it when it has ended. */
  readonly willRestart: boolean;
}

/**
 * @param containers of each service; dependencies not listed are ignored
 * @param seconds the timeout of each condition; default: 60
 * @throws ComposeWaitError, or RuntimeError.invalidState of a container that has ended
 */
export async function awaitDependencies(
  orchestration: Orchestration,
  dependencies: readonly AwaitedDependency[],
  containers: ReadonlyMap<string, readonly ContainerName[]>,
  seconds?: number,
): Promise<void> {
  // The first failure cancels the other waits.
  const failed = new AbortController();
  const bound = { ...orchestration, signal: AbortSignal.any([orchestration.signal, failed.signal]) };
  await Promise.all(
    dependencies.flatMap((dependency) =>
      (containers.get(dependency.service) ?? []).map(async (container) => {
        try {
          await waitForCondition(bound, container, dependency.condition, {
            willRestart: dependency.willRestart,
            ...optionalField('seconds', seconds),
          });
        } catch (error) {
          if (dependency.required || !isUnmet(error)) {
            failed.abort(error);
            throw error;
          }
          bound.report({ kind: 'warning', message: `${error.message} The dependency is not required.` });
        }
      }),
    ),
  );
}

function isUnmet(error: unknown): error is Error {
  return error instanceof ComposeWaitError || isRuntimeError(error, 'invalidState');
}

/** Waits until all dependencies of a service satisfy their conditions. */
import type { DependencyCondition } from '../model/project/service.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { ContainerName } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import { ComposeWaitError } from './errors.js';
import { reported, type Orchestration } from './orchestration.js';
import { waitForCondition } from './wait.js';

export interface AwaitedDependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** False: continue with a warning if the condition is not met. */
  readonly required: boolean;
  /** Whether the restart policy of the container restarts it when it has ended. */
  readonly willRestart: boolean;
}

/**
 * @param containers of each service; dependencies not listed are ignored
 * @param seconds the limit of each condition; default: as `waitForCondition`
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
          await met(bound, container, dependency, seconds);
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

/** What a container is when it meets the condition. One that must only have started does so at once. */
const MET: Readonly<Record<DependencyCondition, string | undefined>> = {
  service_started: undefined,
  service_healthy: 'Healthy',
  service_completed_successfully: 'Exited',
};

function met(
  orchestration: Orchestration,
  container: ContainerName,
  { condition, willRestart }: AwaitedDependency,
  seconds: number | undefined,
): Promise<void> {
  const wait = (): Promise<void> =>
    waitForCondition(orchestration, container, condition, { willRestart, ...optionalField('seconds', seconds) });
  const state = MET[condition];
  return state === undefined ? wait() : reported(orchestration, 'Container', container.name, ['Waiting', state], wait);
}

function isUnmet(error: unknown): error is Error {
  return error instanceof ComposeWaitError || isRuntimeError(error, 'invalidState');
}

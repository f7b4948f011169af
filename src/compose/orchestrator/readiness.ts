/** `up --wait`: waits until all services are running, and healthy if they have a health check. */
import { allServices } from '../model/project/profiles.js';
import type { Project } from '../model/project/project.js';
import { RuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerName } from './container-actions.js';
import { optionalField } from './container/optional-field.js';
import type { Orchestration } from './orchestration.js';
import { POLL_MS, waitForCondition } from './wait.js';

/**
 * A job, whose completion others wait for, must end with exit code 0. Each other container must run.
 *
 * @param seconds the limit of each container; default: as `waitForCondition`
 * @throws ComposeWaitError.timeout, nonZeroExitCode
 * @throws RuntimeError.invalidState for a container that has ended and is not of a job
 */
export async function awaitReady(
  orchestration: Orchestration,
  members: readonly { readonly service: string; readonly container: ContainerName }[],
  { project, seconds }: { readonly project?: Project | undefined; readonly seconds?: number | undefined } = {},
): Promise<void> {
  const { backend, clock, signal } = orchestration;
  const jobs = project === undefined ? new Set<string>() : jobsOf(project);
  const limit = optionalField('seconds', seconds);
  // A program that fails at once must not be seen while it still runs.
  await clock.sleep(POLL_MS, signal);
  await Promise.all(
    members.map(async ({ service, container }) => {
      if (jobs.has(service)) return waitForCondition(orchestration, container, 'service_completed_successfully', limit);
      const { health, status, name } = await backend.containers.inspect(container.id, { signal });
      if (hasEnded(status)) {
        throw new RuntimeError({ case: 'invalidState', id: name, expected: 'running', actual: status });
      }
      await waitForCondition(
        orchestration,
        container,
        health === undefined ? 'service_started' : 'service_healthy',
        limit,
      );
    }),
  );
}

/** The services whose completion others wait for. */
function jobsOf(project: Project): Set<string> {
  return new Set(
    Object.values(allServices(project)).flatMap(({ depends_on: dependencies = {} }) =>
      Object.entries(dependencies).flatMap(([name, { condition }]) =>
        condition === 'service_completed_successfully' ? [name] : [],
      ),
    ),
  );
}

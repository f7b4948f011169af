/** `up --wait`: waits until all services are running, and healthy if they have a health check. */
import { RuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerName } from './container-actions.js';
import type { Orchestration } from './orchestration.js';
import { WAIT_SECONDS, waitForCondition } from './wait.js';

/**
 * @throws ComposeWaitError.timeout
 * @throws RuntimeError.invalidState for a container that exited with a nonzero code
 */
export async function awaitReady(
  orchestration: Orchestration,
  containers: readonly ContainerName[],
  seconds: number = WAIT_SECONDS,
): Promise<void> {
  const { backend, signal } = orchestration;
  await Promise.all(
    containers.map(async (container) => {
      const { health, status, exitCode, name } = await backend.containers.inspect(container.id, { signal });
      if (hasEnded(status)) {
        if (exitCode === 0) return;
        throw new RuntimeError({ case: 'invalidState', id: name, expected: 'running', actual: status });
      }
      const condition = health === undefined ? 'service_started' : 'service_healthy';
      await waitForCondition(orchestration, container, condition, { seconds });
    }),
  );
}

/**
 * Operations on one container that tolerate concurrent changes. It is not an error if the container is already in the
 * target state, or already gone when it should be removed.
 */
import type { Service } from '../model/project/service.js';
import { isRuntimeError, unlessNotFound } from '../runtime/errors.js';
import type { ContainerStatus, ContainerSummary } from '../runtime/records.js';
import type { Seen } from '../runtime/runtime.js';
import { runHooks } from './hooks.js';
import { reported, type Orchestration } from './orchestration.js';
import { optionalField } from './container/optional-field.js';

/** Identifies a container to the runtime and in messages. */
export type ContainerName = Pick<ContainerSummary, 'id' | 'name'>;

export interface StopOptions extends Seen {
  /** `--timeout`; absent: 10 seconds. */
  readonly timeoutSeconds?: number | undefined;
  /** The service whose `pre_stop` hooks run first. */
  readonly service?: Service | undefined;
}

export interface StartOptions extends Seen {
  /** The service whose `post_start` hooks run afterwards. */
  readonly service?: Service | undefined;
}

export async function startContainer(
  orchestration: Orchestration,
  container: ContainerName,
  { service, ...seen }: StartOptions = {},
): Promise<void> {
  const { backend, signal } = orchestration;
  await reported(orchestration, 'Container', container.name, ['Starting', 'Started'], async () => {
    try {
      await backend.containers.start(container.id, { signal, ...seen });
    } catch (error) {
      if (!isRuntimeError(error, 'invalidState')) throw error;
      if ((await untilSettled(orchestration, container.id)) === 'running') return;
      await backend.containers.start(container.id, { signal });
    }
    await runHooks(orchestration, container, service?.post_start);
  });
}

/** Settles when the container has stopped; immediately if it is not running. */
export async function stopContainer(
  orchestration: Orchestration,
  container: ContainerSummary,
  { timeoutSeconds, service, ...seen }: StopOptions = {},
): Promise<void> {
  const { backend, signal } = orchestration;
  if (container.status !== 'running' && container.status !== 'stopping') return;
  await reported(orchestration, 'Container', container.name, ['Stopping', 'Stopped'], async () => {
    try {
      if (container.status === 'running') await runHooks(orchestration, container, service?.pre_stop);
      await backend.containers.stop(container.id, {
        signal,
        ...seen,
        ...optionalField('timeoutSeconds', timeoutSeconds),
      });
    } catch (error) {
      if (isRuntimeError(error, 'notFound')) return;
      if (!isRuntimeError(error, 'invalidState')) throw error;
      if ((await untilSettled(orchestration, container.id)) !== 'running') return;
      await backend.containers.stop(container.id, { signal, ...optionalField('timeoutSeconds', timeoutSeconds) });
    }
  });
}

const LOOK_AGAIN_SECONDS = 1;

/**
 * Waits for a stop that another client has begun. If that client died before its stop reached the engine, the container
 * counts as running again after a time, so poll its status.
 */
async function untilSettled({ backend, signal }: Orchestration, id: string): Promise<ContainerStatus | 'gone'> {
  try {
    for (;;) {
      const { status } = await backend.containers.inspect(id, { signal });
      if (status !== 'stopping') return status;
      try {
        await backend.internal.awaitExit(id, { timeoutSeconds: LOOK_AGAIN_SECONDS, signal });
      } catch (error) {
        if (!isRuntimeError(error, 'timeout')) throw error;
      }
    }
  } catch (error) {
    if (isRuntimeError(error, 'notFound')) return 'gone';
    throw error;
  }
}

export interface RemoveOptions extends Seen {
  /** Also remove its anonymous volumes. */
  readonly volumes?: boolean;
  /** Also remove a running container, without a graceful stop. */
  readonly force?: boolean;
}

export async function removeContainer(
  orchestration: Orchestration,
  container: ContainerSummary,
  { volumes = false, force = false, ...seen }: RemoveOptions = {},
): Promise<void> {
  const { backend, signal } = orchestration;
  // A container that was never started needs force to be removed (lifecycle.ts), and has nothing to shut down.
  const unstarted = !force && (await hasNeverStarted(orchestration, container));
  await reported(orchestration, 'Container', container.name, ['Removing', 'Removed'], async () => {
    const options = { signal, ...seen, volumes, force: force || unstarted };
    await unlessNotFound(backend.containers.remove(container.id, options));
  });
}

/** Frees the container's name. Not an error if it already has the new name or is gone. */
export async function renameContainer(
  { backend, signal }: Orchestration,
  container: ContainerSummary,
  name: string,
): Promise<void> {
  if (container.name === name) return;
  await unlessNotFound(backend.internal.rename(container.id, name, { signal }));
}

async function hasNeverStarted({ backend, signal }: Orchestration, { id, status }: ContainerSummary): Promise<boolean> {
  if (status !== 'created') return false;
  const now = await unlessNotFound(backend.containers.inspect(id, { signal }));
  return now === undefined || now.status === 'created';
}

/** Stops the container if it is running, then removes it. */
export async function stopAndRemove(
  orchestration: Orchestration,
  container: ContainerSummary,
  options: Omit<StopOptions & RemoveOptions, 'seen'> = {},
): Promise<void> {
  const { timeoutSeconds, service, volumes = false, force = false } = options;
  await stopContainer(orchestration, container, { timeoutSeconds, service });
  await removeContainer(orchestration, container, { volumes, force });
}

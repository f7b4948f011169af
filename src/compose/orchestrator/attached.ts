/** `up` in the foreground: shows the containers' output until they have ended or the user interrupts. */
import { setMaxListeners } from 'node:events';
import type { Project } from '../model/project/project.js';
import { channel } from '../runtime/channel.js';
import { isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerRecord } from '../runtime/records.js';
import type { Backend } from '../runtime/runtime.js';
import type { RestartPolicy } from '../runtime/spec.js';
import type { ContainerName } from './container-actions.js';
import { restartPolicy } from './container/container-spec.js';
import { optionalField } from './container/optional-field.js';
import { stopMembers } from './lifecycle.js';
import type { MemberLine } from './logs.js';
import { observeProject } from './actual-state.js';
import type { Orchestration } from './orchestration.js';
import type { Step } from './plan.js';
import { up, type Loaded, type UpObserver, type UpOptions } from './up.js';

const POLL_MS = 500;

export type Happening =
  | ({ readonly kind: 'line' } & MemberLine)
  | { readonly kind: 'exited'; readonly container: string; readonly service: string; readonly exitCode: number }
  /** All containers have been started. */
  | { readonly kind: 'up' };

export interface AttachOptions {
  /** Selects the services whose output is shown. */
  readonly shown: (service: string) => boolean;
  /** Stop all containers when one exits, or only when one fails. */
  readonly abortOn?: 'exit' | 'failure' | undefined;
  /** The service whose exit code the command returns. Its end stops all containers. */
  readonly exitCodeFrom?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** A second Ctrl-C: do not wait for a graceful stop. */
  readonly impatient?: AbortSignal;
  /** Leaves the containers running, once all have been started. */
  readonly detached?: AbortSignal;
  /** Called, and awaited, when Ctrl-C begins to stop the containers. */
  readonly onStopping?: () => Promise<void>;
}

/**
 * Brings a project up and follows each container as soon as it runs. An aborted signal stops the containers. After all
 * have started, an abort is not a failure; before, it rejects with the signal's reason.
 *
 * @param show called in order and awaited
 * @returns the exit code of the requested service, else of the container that ended the others, else 0
 * @throws as `up`; containers started by then keep running
 */
export async function upAttached(
  orchestration: Orchestration,
  loaded: Loaded,
  upOptions: UpOptions,
  options: AttachOptions,
  show: (happening: Happening) => Promise<void>,
): Promise<number> {
  const { project } = loaded;
  const left = new AbortController();
  const bound = { ...orchestration, signal: AbortSignal.any([orchestration.signal, left.signal]) };
  // Each followed container adds a listener, so many listeners are not a leak.
  setMaxListeners(0, bound.signal);
  const happenings = channel<Happening>();
  const begun = orchestration.clock.now();
  const ends: Promise<void>[] = [];
  const observer: UpObserver = {
    planned: (plan) => upOptions.observer?.planned(plan),
    running(service, container, step) {
      const policy = restartPolicy(project.services[service] ?? {});
      const followed = { container, service, policy, step, since: beginning(step, begun) };
      const end = follow(bound, followed, options, (happening) => happenings.push(happening));
      end.catch((error: unknown) => {
        if (!bound.signal.aborted) happenings.fail(error);
      });
      ends.push(end);
    },
  };
  const giveUp = (): void => {
    happenings.end();
  };
  orchestration.signal.addEventListener('abort', giveUp, { once: true });
  options.detached?.addEventListener('abort', giveUp, { once: true });
  const upward = up(lettingStartsFinish(orchestration, options.impatient), loaded, { ...upOptions, observer });
  const followed = upward.then(async () => {
    await happenings.push({ kind: 'up' });
    await Promise.all(ends);
  });
  followed.then(giveUp, (error: unknown) => {
    if (bound.signal.aborted) giveUp();
    else happenings.fail(error);
  });
  let isUp = false;
  let ending: number | undefined;
  try {
    for await (const happening of happenings) {
      await show(happening);
      if (happening.kind === 'up') isUp = true;
      // A container that ends during start-up, as a migration does, stops the others only after start-up.
      else if (happening.kind === 'exited' && endsAll(happening, options)) ending ??= happening.exitCode;
      if (isUp && ending !== undefined) break;
    }
  } finally {
    orchestration.signal.removeEventListener('abort', giveUp);
    options.detached?.removeEventListener('abort', giveUp);
    left.abort();
    // Containers that are being started must exist before they can be stopped.
    await upward.catch(() => undefined);
    if ((isUp && options.detached?.aborted !== true) || orchestration.signal.aborted) {
      if (orchestration.signal.aborted) await options.onStopping?.();
      await stopAll(orchestration, project, options);
    }
  }
  if (!isUp) orchestration.signal.throwIfAborted();
  return ending ?? 0;
}

/**
 * An engine completes a start even if its caller has left, so the container would run after all others have been
 * stopped. Starts in progress are therefore completed, unless the user interrupts again.
 */
function lettingStartsFinish(orchestration: Orchestration, impatient: AbortSignal | undefined): Orchestration {
  const { backend } = orchestration;
  const start: Backend['containers']['start'] = async (id, { signal, ...options } = {}) => {
    signal?.throwIfAborted();
    await backend.containers.start(id, { ...options, ...optionalField('signal', impatient) });
  };
  return { ...orchestration, backend: { ...backend, containers: { ...backend.containers, start } } };
}

/** The position in an existing container's log where the new run begins. */
function beginning(step: Step, begun: Date): Date | undefined {
  if (step.act === 'restart') return begun;
  if (step.act !== 'start' || step.container.finishedAt === undefined) return undefined;
  return after(step.container.finishedAt);
}

function endsAll({ service, exitCode }: Extract<Happening, { kind: 'exited' }>, options: AttachOptions): boolean {
  if (options.exitCodeFrom !== undefined) return service === options.exitCodeFrom;
  return options.abortOn === 'exit' || (options.abortOn === 'failure' && exitCode !== 0);
}

/** The user's signal has already fired, so stopping uses another one. */
async function stopAll(orchestration: Orchestration, project: Project, options: AttachOptions): Promise<void> {
  const signal = new AbortController().signal;
  const stopping = { ...orchestration, signal };
  const members = (await observeProject(stopping, project.name)).filter(
    ({ service, oneOff }) => !oneOff && Object.hasOwn(project.services, service),
  );
  const kill = (): void => {
    for (const { container } of members) {
      // A container that has already ended needs no kill.
      orchestration.backend.containers.kill(container.id).catch(() => undefined);
    }
  };
  options.impatient?.addEventListener('abort', kill, { once: true });
  if (options.impatient?.aborted === true) kill();
  try {
    await stopMembers(stopping, members, { project, timeoutSeconds: options.timeoutSeconds });
  } finally {
    options.impatient?.removeEventListener('abort', kill);
  }
}

interface Followed {
  readonly container: ContainerName;
  readonly service: string;
  readonly policy: RestartPolicy | undefined;
  readonly step: Step;
  readonly since: Date | undefined;
}

/** Follows one container: its lines, its health, and each exit, until it has ended for good. */
async function follow(
  orchestration: Orchestration,
  { container: { id, name }, service, policy, step, since: start }: Followed,
  options: AttachOptions,
  tell: (happening: Happening) => Promise<void>,
): Promise<void> {
  const { backend, signal } = orchestration;
  // Watching runs the health checks if the engine does not; the result is not shown.
  void watch(orchestration, id);
  // A container that ended earlier has no new output, unless the command returns its exit code.
  if (step.act === 'keep' && hasEnded(step.container.status)) {
    const exitCode = step.container.exitCode ?? 0;
    if (service === options.exitCodeFrom) await tell({ kind: 'exited', container: name, service, exitCode });
    return;
  }
  try {
    for (let since = start, isFirst = true; ; isFirst = false) {
      if (options.shown(service)) {
        const from = step.act === 'keep' && isFirst ? { tail: 0 } : optionalField('since', since);
        const lines = await backend.containers.logs(id, { follow: true, ...from, signal });
        for await (const line of lines) await tell({ kind: 'line', container: name, service, ...line });
      }
      const { exitCode, exitedAt } = await backend.internal.awaitExit(id, { signal });
      await tell({ kind: 'exited', container: name, service, exitCode });
      let now = await backend.containers.inspect(id, { signal });
      while (hasEnded(now.status)) {
        if (!isBroughtBack(now, policy)) return;
        await orchestration.clock.sleep(POLL_MS, signal);
        now = await backend.containers.inspect(id, { signal });
      }
      since = after(exitedAt);
    }
  } catch (error) {
    if (!isRuntimeError(error, 'notFound')) throw error; // The container was removed: nothing more to follow.
  }
}

/** Engines record a run's start time only after its first lines, so use the end of the previous run. */
function after(time: string): Date {
  return new Date(Date.parse(time) + 1);
}

/** Whether the restart policy will start it again. A stopped container is not restarted. */
function isBroughtBack(
  { status, exitCode, restartCount }: ContainerRecord,
  policy: RestartPolicy | undefined,
): boolean {
  if (policy === undefined || policy.name === 'no' || status === 'stopped') return false;
  if (policy.name !== 'on-failure') return true;
  return exitCode !== 0 && restartCount < (policy.maximumRetries ?? Infinity);
}

async function watch({ backend, signal }: Orchestration, id: string): Promise<void> {
  try {
    for await (const _status of await backend.containers.watchHealth(id, { signal })) continue;
  } catch {
    // Following the container's log fails in the same way and reports the error.
  }
}

/** `up` in the foreground: shows the containers' output until they have ended or the user interrupts. */
import { setMaxListeners } from 'node:events';
import type { Project } from '../model/project/project.js';
import { channel } from '../runtime/channel.js';
import type { ExitRecord } from '../runtime/records.js';
import type { Backend } from '../runtime/runtime.js';
import { optionalField } from './container/optional-field.js';
import { afterTime, FollowedSet, type Followed, type LogPart } from './followed-set.js';
import { stopMembers } from './lifecycle.js';
import type { MemberLine } from './logs.js';
import { observeProject } from './actual-state.js';
import type { Orchestration } from './orchestration.js';
import type { Step } from './plan.js';
import { up, type Loaded, type UpObserver, type UpOptions } from './up.js';

export type Happening =
  | ({ readonly kind: 'line' } & MemberLine)
  | { readonly kind: 'exited'; readonly container: string; readonly service: string; readonly exitCode: number }
  /** Another container takes its place. */
  | { readonly kind: 'replaced'; readonly container: string; readonly service: string }
  /** All containers have been started. */
  | { readonly kind: 'up' };

export interface AttachOptions {
  /** Selects the services whose output is shown. */
  readonly shown: (service: string) => boolean;
  /** Stop all containers when one exits, or only when one fails. */
  readonly abortOn?: 'exit' | 'failure' | undefined;
  /** The service whose exit code the command returns. Implies `abortOn: 'exit'`, unless that is set. */
  readonly exitCodeFrom?: string | undefined;
  /** While true, containers that end are restarted by this process. */
  readonly isRestarting?: () => boolean;
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
  let isUp = false;
  const followed = new FollowedSet(bound, {
    project: project.name,
    // Until then, `up` adds each container that it starts.
    admits: (service) => isUp && Object.hasOwn(project.services, service),
    follow: (member, part) => followRun(bound, member, part, options, (line) => happenings.push(line)),
    ended: async ({ container: { name: container }, service }, exit, fate) => {
      if (fate === 'replaced') await happenings.push({ kind: 'replaced', container, service });
      else if (exit !== undefined) {
        await happenings.push({ kind: 'exited', container, service, exitCode: exit.exitCode });
      }
    },
    ...optionalField('isRestarting', options.isRestarting),
  });
  const observer: UpObserver = {
    planned: (plan) => upOptions.observer?.planned(plan),
    running(service, container, step) {
      followed.add({ container, service, number: step.number }, beginning(step, begun));
    },
  };
  const giveUp = (): void => {
    happenings.end();
  };
  orchestration.signal.addEventListener('abort', giveUp, { once: true });
  options.detached?.addEventListener('abort', giveUp, { once: true });
  const upward = up(lettingStartsFinish(orchestration, options.impatient), loaded, { ...upOptions, observer });
  const failed = (error: unknown): void => {
    if (bound.signal.aborted) giveUp();
    else happenings.fail(error);
  };
  upward
    .then(async () => {
      await happenings.push({ kind: 'up' });
      void followed.admit();
      followed.seal();
    })
    .catch(failed);
  followed.over.then(giveUp, failed);
  let ending: number | undefined;
  const codes = new Map<string, number>();
  try {
    for await (const happening of happenings) {
      await show(happening);
      if (happening.kind === 'up') isUp = true;
      // A container that ends during start-up, as a migration does, stops the others only after start-up.
      if (happening.kind === 'exited') {
        const { service, exitCode } = happening;
        if (!codes.has(service)) codes.set(service, exitCode);
        if (endsAll(exitCode, options)) ending ??= exitCode;
      }
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
  if (ending === undefined || options.exitCodeFrom === undefined) return ending ?? 0;
  return codes.get(options.exitCodeFrom) ?? (await exitCodeOf(orchestration, project, options.exitCodeFrom));
}

/** The exit code of a service that has been stopped. */
async function exitCodeOf(orchestration: Orchestration, { name }: Project, service: string): Promise<number> {
  const members = await observeProject(orchestration, name);
  const member = members.find((each) => each.service === service && !each.oneOff);
  return member?.container.exitCode ?? 0;
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

/** The part of a container's log that belongs to this `up`. */
function beginning(step: Step, begun: Date): LogPart {
  if (step.act === 'keep') return { tail: 0 };
  if (step.act === 'restart') return { since: begun };
  return step.act === 'start' ? optionalField('since', afterTime(step.container.finishedAt)) : {};
}

function endsAll(exitCode: number, { abortOn, exitCodeFrom }: AttachOptions): boolean {
  if (abortOn === 'failure') return exitCode !== 0;
  return abortOn === 'exit' || exitCodeFrom !== undefined;
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

/** Follows one run of a container: its lines, its health, and its exit. */
async function followRun(
  orchestration: Orchestration,
  { container: { id, name }, service }: Followed,
  part: LogPart,
  { shown }: AttachOptions,
  tell: (happening: Happening) => Promise<void>,
): Promise<ExitRecord> {
  const { backend, signal } = orchestration;
  // Watching runs the health checks if the engine does not; the result is not shown.
  void watch(orchestration, id);
  if (shown(service)) {
    const lines = await backend.containers.logs(id, { follow: true, ...part, signal });
    for await (const line of lines) await tell({ kind: 'line', container: name, service, ...line });
  }
  return backend.internal.awaitExit(id, { signal });
}

async function watch({ backend, signal }: Orchestration, id: string): Promise<void> {
  try {
    for await (const _status of await backend.containers.watchHealth(id, { signal })) continue;
  } catch {
    // Following the container's log fails in the same way and reports the error.
  }
}

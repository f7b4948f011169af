/** `up` in the foreground: shows what the containers print until they have ended or the user gives up. */
import { setMaxListeners } from 'node:events';
import type { Project } from '../model/project.js';
import { channel } from '../runtime/channel.js';
import { isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerRecord } from '../runtime/records.js';
import type { Backend } from '../runtime/runtime.js';
import type { RestartPolicy } from '../runtime/spec.js';
import type { ContainerName } from './acts.js';
import { restartPolicy } from './container/container-spec.js';
import { given } from './container/given.js';
import { stopMembers } from './lifecycle.js';
import type { MemberLine } from './logs.js';
import { observeProject } from './observed.js';
import type { Orchestration } from './orchestration.js';
import type { Step } from './plan.js';
import { up, type Loaded, type UpObserver, type UpOptions } from './up.js';

const POLL_MS = 500;

export type Happening =
  | ({ readonly kind: 'line' } & MemberLine)
  | { readonly kind: 'exited'; readonly container: string; readonly service: string; readonly exitCode: number }
  /** Everything has been started. */
  | { readonly kind: 'up' };

export interface AttachOptions {
  /** Whose output is shown; the others run unseen. */
  readonly shown: (service: string) => boolean;
  /** End all when one ends: whichever, or only one that fails. */
  readonly abortOn?: 'exit' | 'failure' | undefined;
  /** The service whose exit code is the command's; ends all when it ends. */
  readonly exitCodeFrom?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Another Ctrl-C after the first: do not wait for a graceful stop. */
  readonly impatient?: AbortSignal;
  /** Called when the user's Ctrl-C begins to stop the containers. */
  readonly onStopping?: () => void;
}

/**
 * Brings a project up and follows its containers, each as soon as it runs. An aborted signal stops them: once all are
 * started that is no failure, before it rejects with the signal's reason.
 *
 * @param show called in order; what it answers is waited for
 * @returns the exit code: of the service asked for, else of the container that ended the rest, else 0
 * @throws as `up`; what was started by then stays
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
  // Each container that is followed listens: many are no leak.
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
      // One that ends before all are started, as a migration does, ends the others only then.
      else if (happening.kind === 'exited' && endsAll(happening, options)) ending ??= happening.exitCode;
      if (isUp && ending !== undefined) break;
    }
  } finally {
    orchestration.signal.removeEventListener('abort', giveUp);
    left.abort();
    // What is being started has to be there before it can be stopped.
    await upward.catch(() => undefined);
    if (isUp || orchestration.signal.aborted) {
      if (orchestration.signal.aborted) options.onStopping?.();
      await stopAll(orchestration, project, options);
    }
  }
  if (!isUp) orchestration.signal.throwIfAborted();
  return ending ?? 0;
}

/**
 * An engine finishes a start whose caller has left, and the container would run after all had been stopped. So the
 * starts that are under way are finished, unless the user gives up on that, too.
 */
function lettingStartsFinish(orchestration: Orchestration, impatient: AbortSignal | undefined): Orchestration {
  const { backend } = orchestration;
  const start: Backend['containers']['start'] = async (id, { signal, ...options } = {}) => {
    signal?.throwIfAborted();
    await backend.containers.start(id, { ...options, ...given('signal', impatient) });
  };
  return { ...orchestration, backend: { ...backend, containers: { ...backend.containers, start } } };
}

/** Where the run that was started now begins in the log of a container that ran before. */
function beginning(step: Step, begun: Date): Date | undefined {
  if (step.act === 'restart') return begun;
  if (step.act !== 'start' || step.container.finishedAt === undefined) return undefined;
  return after(step.container.finishedAt);
}

function endsAll({ service, exitCode }: Extract<Happening, { kind: 'exited' }>, options: AttachOptions): boolean {
  if (options.exitCodeFrom !== undefined) return service === options.exitCodeFrom;
  return options.abortOn === 'exit' || (options.abortOn === 'failure' && exitCode !== 0);
}

/** The user's signal has fired by now, so stopping has one of its own. */
async function stopAll(orchestration: Orchestration, project: Project, options: AttachOptions): Promise<void> {
  const signal = new AbortController().signal;
  const stopping = { ...orchestration, signal };
  const members = (await observeProject(stopping, project.name)).filter(
    ({ service, oneOff }) => !oneOff && Object.hasOwn(project.services, service),
  );
  const kill = (): void => {
    for (const { container } of members) {
      // One that has ended already needs no killing.
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

/** One container: its lines, its health, and each of its ends, until it ends for good. */
async function follow(
  orchestration: Orchestration,
  { container: { id, name }, service, policy, step, since: start }: Followed,
  options: AttachOptions,
  tell: (happening: Happening) => Promise<void>,
): Promise<void> {
  const { backend, signal } = orchestration;
  // Watching drives the checks where the engine does not; what it says is nothing to show.
  void watch(orchestration, id);
  // One that had done its work before has nothing to add, unless the command's exit code is its own.
  if (step.act === 'keep' && hasEnded(step.container.status)) {
    const exitCode = step.container.exitCode ?? 0;
    if (service === options.exitCodeFrom) await tell({ kind: 'exited', container: name, service, exitCode });
    return;
  }
  try {
    for (let since = start, isFirst = true; ; isFirst = false) {
      if (options.shown(service)) {
        const from = step.act === 'keep' && isFirst ? { tail: 0 } : given('since', since);
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
    if (!isRuntimeError(error, 'notFound')) throw error; // Removed: the end of what there is to follow.
  }
}

/** Engines note the start of a run only after its first lines; the end of the run before is a safe border. */
function after(time: string): Date {
  return new Date(Date.parse(time) + 1);
}

/** Will its restart policy start it again? Not after a stop. */
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
    // The same trouble ends the following of the container's log, which tells it.
  }
}

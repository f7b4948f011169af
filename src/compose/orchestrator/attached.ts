/** `up` in the foreground: shows what the containers print until they have ended or the user gives up. */
import { setMaxListeners } from 'node:events';
import type { Project } from '../model/project.js';
import { channel } from '../runtime/channel.js';
import { isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { ContainerRecord } from '../runtime/records.js';
import type { RestartPolicy } from '../runtime/spec.js';
import { restartPolicy } from './container/container-spec.js';
import { given } from './container/given.js';
import { stopMembers } from './lifecycle.js';
import type { MemberLine } from './logs.js';
import { observeProject, type Member } from './observed.js';
import type { Orchestration } from './orchestration.js';

const POLL_MS = 500;

export type Happening =
  | ({ readonly kind: 'line' } & MemberLine)
  | { readonly kind: 'exited'; readonly container: string; readonly service: string; readonly exitCode: number };

export interface AttachOptions {
  /** Whose output is shown; the others run unseen. */
  readonly shown: (service: string) => boolean;
  /** Containers that were kept as they were: only what they print from now on. */
  readonly earlier: ReadonlySet<string>;
  /** Where the run that was started now begins in the log of a container that ran before. */
  readonly since: ReadonlyMap<string, Date>;
  /** End all when one ends: whichever, or only one that fails. */
  readonly abortOn?: 'exit' | 'failure' | undefined;
  /** The service whose exit code is the command's; ends all when it ends. */
  readonly exitCodeFrom?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Another Ctrl-C after the first: do not wait for a graceful stop. */
  readonly impatient?: AbortSignal;
}

/**
 * Follows the project's containers. An aborted signal stops them and is no failure.
 *
 * @param show called in order; what it answers is waited for
 * @returns the exit code: of the service asked for, else of the container that ended the rest, else 0
 */
export async function attach(
  orchestration: Orchestration,
  project: Project,
  options: AttachOptions,
  show: (happening: Happening) => Promise<void>,
): Promise<number> {
  const left = new AbortController();
  const bound = { ...orchestration, signal: AbortSignal.any([orchestration.signal, left.signal]) };
  // Each container that is followed listens: many are no leak.
  setMaxListeners(0, bound.signal);
  const happenings = channel<Happening>();
  const members = (await observeProject(orchestration, project.name)).filter(
    ({ oneOff, service }) => !oneOff && Object.hasOwn(project.services, service),
  );
  const ends = members.map((member) => {
    const policy = restartPolicy(project.services[member.service] ?? {});
    return follow(bound, member, policy, options, (happening) => happenings.push(happening));
  });
  Promise.all(ends).then(
    () => {
      happenings.end();
    },
    (error: unknown) => {
      if (bound.signal.aborted) happenings.end();
      else happenings.fail(error);
    },
  );
  const giveUp = (): void => {
    happenings.end();
  };
  orchestration.signal.addEventListener('abort', giveUp, { once: true });
  let code = 0;
  try {
    for await (const happening of happenings) {
      await show(happening);
      if (happening.kind !== 'exited' || !endsAll(happening, options)) continue;
      code = happening.exitCode;
      break;
    }
  } finally {
    orchestration.signal.removeEventListener('abort', giveUp);
    left.abort();
    await stopAll(orchestration, project, options);
  }
  return code;
}

function endsAll({ service, exitCode }: Happening & { kind: 'exited' }, options: AttachOptions): boolean {
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
  try {
    await stopMembers(stopping, members, { project, timeoutSeconds: options.timeoutSeconds });
  } finally {
    options.impatient?.removeEventListener('abort', kill);
  }
}

/** One container: its lines, its health, and each of its ends, until it ends for good. */
async function follow(
  orchestration: Orchestration,
  { container, service }: Member,
  policy: RestartPolicy | undefined,
  options: AttachOptions,
  tell: (happening: Happening) => Promise<void>,
): Promise<void> {
  const { backend, signal } = orchestration;
  const { id, name } = container;
  // Watching drives the checks where the engine does not; what it says is nothing to show.
  if (container.health !== undefined) void watch(orchestration, id);
  const isKept = options.earlier.has(id);
  // One that had done its work before has nothing to add, unless the command's exit code is its own.
  if (isKept && hasEnded(container.status)) {
    const exitCode = container.exitCode ?? 0;
    if (service === options.exitCodeFrom) await tell({ kind: 'exited', container: name, service, exitCode });
    return;
  }
  try {
    for (let since = options.since.get(id), isFirst = true; ; isFirst = false) {
      if (options.shown(service)) {
        const from = isKept && isFirst ? { tail: 0 } : given('since', since);
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
export function after(time: string): Date {
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

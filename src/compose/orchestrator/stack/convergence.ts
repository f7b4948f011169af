/** Waits until a swarm has brought services into the state that they were given. */
import { canonicalJson } from '../../model/project/hash.js';
import type { ClusterOperations, ClusterService, ClusterTask } from '../../runtime/cluster.js';
import { backendFailure } from '../../runtime/errors.js';
import { numberOf, objectOf } from '../../runtime/json.js';
import { currentTasks, hasTaskEnded } from '../../runtime/swarm/task-list.js';
import { ComposeWaitError } from '../errors.js';
import type { Orchestration } from '../orchestration.js';
import { POLL_MS, WAIT_SECONDS } from '../wait.js';

export interface Awaited {
  /** The names of the services in the swarm. */
  readonly names: readonly string[];
  /** The services that the command has changed: a rollback of another one belongs to an earlier command. */
  readonly changed: ReadonlySet<string>;
  /** Default 60, which do not count while the swarm updates, unless a container of the update cannot be started. */
  readonly seconds?: number | undefined;
}

/**
 * Reports once what keeps a container from running.
 *
 * @throws RuntimeError.backendFailure for an update that was paused or rolled back, or a container that is not started
 * again
 * @throws ComposeWaitError.timeout
 */
export async function awaitConvergence(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  { names, changed, seconds }: Awaited,
): Promise<void> {
  if (cluster.isDryRun === true) return;
  const { clock, report, signal } = orchestration;
  const limit = seconds ?? WAIT_SECONDS;
  let left = limit * 1000;
  const pending = new Set(names);
  const polls = new Map<string, number>();
  const told = new Set<string>();
  const explain = (name: string, tasks: readonly ClusterTask[]): void => {
    for (const problem of problems(tasks)) {
      const message = `${name}: ${problem}`;
      if (told.has(message)) continue;
      told.add(message);
      report({ kind: 'warning', message });
    }
  };
  const tell = (name: string, status: string, done: boolean): void => {
    report({ kind: 'status', resource: 'Service', name, status, done });
  };
  const hasSettled = (service: ClusterService, own: readonly ClusterTask[]): boolean => {
    const seen = (polls.get(service.name) ?? 0) + 1;
    polls.set(service.name, seen);
    return (
      seen * POLL_MS > SETTLE_MS ||
      !changed.has(service.name) ||
      currentTasks(own).every((task) => isPlacedBy(service, task))
    );
  };
  for (let isFirst = true; ; isFirst = false) {
    const [services, tasks] = await Promise.all([cluster.services.list({ signal }), cluster.tasks({ signal })]);
    let isProgressing = false;
    for (const service of services.filter(({ name }) => pending.has(name))) {
      const own = tasks.filter(({ serviceId }) => serviceId === service.id);
      const outcome = failedUpdate(service, changed);
      // A swarm reports a rollback as completed while containers of the earlier version may still be starting.
      const isSettling =
        service.update?.state === 'rollback_completed' && !hasConverged(service, own) && left >= POLL_MS;
      if (outcome !== undefined && !isSettling) {
        tell(service.name, 'Failed', true);
        const reasons = [service.update?.message ?? '', ...problems(own)].filter((reason) => reason !== '');
        throw backendFailure(`The update of service '${service.name}' ${outcome}: ${reasons.join('; ')}.`);
      }
      const blocked = own.filter((task) => task.problem !== '' && !hasTaskEnded(task));
      explain(service.name, blocked);
      if (isBusy(service)) isProgressing ||= blocked.length === 0;
      else if (hasConverged(service, own) && hasSettled(service, own)) {
        pending.delete(service.name);
        if (!isFirst) tell(service.name, 'Started', true);
      }
    }
    if (pending.size === 0) return;
    if (isFirst) for (const name of pending) tell(name, 'Starting', false);
    if (seconds !== undefined || !isProgressing) left -= POLL_MS;
    if (left < 0) {
      const [name = ''] = pending;
      const service = services.find((each) => each.name === name);
      explain(
        name,
        tasks.filter(({ serviceId }) => serviceId === service?.id),
      );
      for (const each of pending) tell(each, 'Failed', true);
      throw new ComposeWaitError({
        case: 'timeout',
        containerName: name,
        condition: 'service_started',
        seconds: limit,
      });
    }
    await clock.sleep(POLL_MS, signal);
  }
}

function isBusy({ update }: ClusterService): boolean {
  return update?.state === 'updating' || update?.state === 'rollback_started';
}

const FAILED_UPDATES: Readonly<Record<string, string>> = {
  paused: 'was paused',
  rollback_completed: 'was rolled back',
  rollback_paused: 'was rolled back, which failed',
};

function failedUpdate({ name, update }: ClusterService, changed: ReadonlySet<string>): string | undefined {
  // The service keeps this state until its next update, also when the file says again what it was rolled back to.
  if (update?.state === 'rollback_completed' && !changed.has(name)) return undefined;
  return FAILED_UPDATES[update?.state ?? ''];
}

/** The distinct problems of tasks, newest first. */
function problems(tasks: readonly ClusterTask[]): string[] {
  const newest = tasks.toSorted((one, other) => (one.since < other.since ? 1 : -1));
  return [...new Set(newest.flatMap(({ problem }) => (problem === '' ? [] : [problem])))];
}

function hasConverged({ spec }: ClusterService, all: readonly ClusterTask[]): boolean {
  const mode = objectOf(spec.Mode);
  const tasks = currentTasks(all);
  const isSettled = tasks.every((task) => isOf(spec, task) && isUp(task));
  if (mode.Replicated !== undefined) return isSettled && tasks.length === numberOf(objectOf(mode.Replicated).Replicas);
  if (mode.ReplicatedJob !== undefined) {
    return isSettled && tasks.length >= numberOf(objectOf(mode.ReplicatedJob).TotalCompletions);
  }
  return isSettled && tasks.length > 0;
}

/**
 * A swarm keeps containers that another placement allows, and otherwise starts to replace them a moment after the
 * change. Nothing says which of the two it will be.
 */
const SETTLE_MS = 2000;

function isPlacedBy({ spec }: ClusterService, task: ClusterTask): boolean {
  return (
    canonicalJson(objectOf(objectOf(spec.TaskTemplate).Placement)) === canonicalJson(objectOf(task.spec.Placement))
  );
}

/** Running, or ended and not to be started again. */
function isUp(task: ClusterTask): boolean {
  return (
    task.state === 'running' || (hasTaskEnded(task) && task.desiredState === 'shutdown') || task.state === 'complete'
  );
}

/** Whether the task is of this specification, not of the one before it. */
function isOf(spec: ClusterService['spec'], task: ClusterTask): boolean {
  const wanted = objectOf(spec.TaskTemplate);
  const parts = ({ ContainerSpec, ForceUpdate }: ClusterService['spec']): string =>
    canonicalJson([objectOf(ContainerSpec), numberOf(ForceUpdate)]);
  return parts(wanted) === parts(task.spec);
}

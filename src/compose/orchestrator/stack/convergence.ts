/** Waits until a swarm has brought services into the state that they were given. */
import { canonicalJson } from '../../model/project/hash.js';
import type { ClusterOperations, ClusterService, ClusterTask } from '../../runtime/cluster.js';
import { backendFailure } from '../../runtime/errors.js';
import { numberOf, objectOf } from '../../runtime/json.js';
import { currentTasks, hasTaskEnded } from '../../runtime/swarm/task-list.js';
import { ComposeWaitError } from '../errors.js';
import type { Orchestration } from '../orchestration.js';
import { POLL_MS, WAIT_SECONDS } from '../wait.js';

/**
 * @param names of the services in the swarm
 * @param seconds does not count while the swarm updates, because it ends that itself
 * @throws RuntimeError.backendFailure for an update that was paused or rolled back, or a container that is not started
 * again
 * @throws ComposeWaitError.timeout
 */
export async function awaitConvergence(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  names: readonly string[],
  seconds: number = WAIT_SECONDS,
): Promise<void> {
  const { clock, report, signal } = orchestration;
  let left = seconds * 1000;
  const pending = new Set(names);
  const tell = (name: string, status: string, done: boolean): void => {
    report({ kind: 'status', resource: 'Service', name, status, done });
  };
  for (let isFirst = true; ; isFirst = false) {
    const [services, tasks] = await Promise.all([cluster.services.list({ signal }), cluster.tasks({ signal })]);
    let isUpdating = false;
    for (const service of services.filter(({ name }) => pending.has(name))) {
      const own = tasks.filter(({ serviceId }) => serviceId === service.id);
      try {
        requireNoFailure(service, own);
      } catch (error) {
        tell(service.name, 'Failed', true);
        throw error;
      }
      if (isBusy(service)) isUpdating = true;
      else if (hasConverged(service, own)) {
        pending.delete(service.name);
        if (!isFirst) tell(service.name, 'Started', true);
      }
    }
    if (pending.size === 0) return;
    if (isFirst) for (const name of pending) tell(name, 'Starting', false);
    if (!isUpdating) left -= POLL_MS;
    if (left < 0) {
      const [name = ''] = pending;
      const service = services.find((each) => each.name === name);
      for (const message of problems(tasks.filter(({ serviceId }) => serviceId === service?.id))) {
        report({ kind: 'warning', message: `${name}: ${message}` });
      }
      for (const each of pending) tell(each, 'Failed', true);
      throw new ComposeWaitError({ case: 'timeout', containerName: name, condition: 'service_started', seconds });
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

function requireNoFailure({ name, update }: ClusterService, tasks: readonly ClusterTask[]): void {
  const outcome = FAILED_UPDATES[update?.state ?? ''];
  if (outcome === undefined) return;
  const reasons = [update?.message ?? '', ...problems(tasks)].filter((reason) => reason !== '');
  throw backendFailure(`The update of service '${name}' ${outcome}: ${reasons.join('; ')}.`);
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

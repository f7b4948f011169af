/** Which tasks of a service count as its containers. */
import type { ClusterTask } from '../cluster.js';

const ENDED = new Set(['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned']);

/** Whether the run of a task has ended. */
export function hasTaskEnded({ state }: Pick<ClusterTask, 'state'>): boolean {
  return ENDED.has(state);
}

/**
 * The newest task of each replica. A swarm keeps some of the earlier ones as a history. Replicas that were scaled away,
 * and those of a node that is gone, are left out.
 */
export function currentTasks(tasks: readonly ClusterTask[]): ClusterTask[] {
  const newest = new Map<string, ClusterTask>();
  for (const task of tasks) {
    const replica = `${task.serviceId} ${task.slot === 0 ? (task.node?.id ?? '') : task.slot}`;
    const before = newest.get(replica);
    if (before === undefined || isNewer(task, before)) newest.set(replica, task);
  }
  return [...newest.values()].filter(isWanted).sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** A task that shall run counts before one that shall not: a rollback can return to an earlier task. */
function isNewer(one: ClusterTask, other: ClusterTask): boolean {
  if (shallRun(one) !== shallRun(other)) return shallRun(one);
  return one.createdAt > other.createdAt;
}

function isWanted(task: ClusterTask): boolean {
  return shallRun(task) || ['complete', 'failed', 'rejected'].includes(task.state);
}

function shallRun({ desiredState }: ClusterTask): boolean {
  return desiredState === 'running' || desiredState === 'ready' || desiredState === 'complete';
}

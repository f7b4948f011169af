/**
 * The status that each operation requires and the status that results. The rows for start and remove come from the
 * compose error catalogue. The others follow from what an engine can do to a process.
 *
 * | operation        | needs                      | results in                                        |
 * |------------------|----------------------------|---------------------------------------------------|
 * | create           | -                          | created                                           |
 * | start            | created, stopped, exited   | running                                           |
 * | stop             | running                    | stopping, then stopped                            |
 * | kill             | running, stopping          | exited, with 128 + signal, if the signal ends it  |
 * | restart          | any                        | running                                           |
 * | its own end      | running                    | exited, with its exit code                        |
 * | remove           | stopped, exited            | gone                                              |
 * | remove (force)   | any                        | gone                                              |
 * | exec, top, stats | running, stopping          | unchanged                                         |
 * | attach           | running, stopping          | unchanged                                         |
 * | pause, unpause   | running                    | unchanged                                         |
 */
import { RuntimeError } from './errors.js';
import type { ContainerStatus } from './records.js';

export type GuardedOperation =
  'start' | 'stop' | 'kill' | 'remove' | 'exec' | 'top' | 'stats' | 'attach' | 'pause' | 'unpause';

interface Precondition {
  readonly allowed: readonly ContainerStatus[];
  /** The status named in the error: the one that the caller can bring the container to. */
  readonly expected: ContainerStatus;
}

const atRest: Precondition = { allowed: ['stopped', 'exited'], expected: 'stopped' };
const alive: Precondition = { allowed: ['running', 'stopping'], expected: 'running' };

const preconditions: Readonly<Record<GuardedOperation, Precondition>> = {
  start: { allowed: ['created', ...atRest.allowed], expected: 'stopped' },
  stop: { allowed: ['running'], expected: 'running' },
  kill: alive,
  remove: atRest,
  exec: alive,
  top: alive,
  stats: alive,
  attach: alive,
  pause: { allowed: ['running'], expected: 'running' },
  unpause: { allowed: ['running'], expected: 'running' },
};

/** @throws RuntimeError.invalidState with the container's actual status. */
export function requireStatus(operation: GuardedOperation, id: string, actual: ContainerStatus): void {
  const { allowed, expected } = preconditions[operation];
  if (!allowed.includes(actual)) throw new RuntimeError({ case: 'invalidState', id, expected, actual });
}

/** Whether a run of the container has ended. */
export function hasEnded(status: ContainerStatus): boolean {
  return atRest.allowed.includes(status);
}

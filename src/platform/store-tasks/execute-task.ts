import { failureOf } from '../../sync/failures.js';
import type { Surroundings } from '../../sync/surroundings.js';
import { forkProgram } from '../sync/jobs/fork-program.js';
import { runStoreTask, type StoreTask } from './run-task.js';

/** What came of a task. */
export interface TaskEnd {
  /** Fit for people; null: it is done. */
  readonly error: string | null;
}

/** A task under way, in this process or another. */
export interface TaskExecution {
  /** Never rejected. */
  readonly ended: Promise<TaskEnd>;
  /** Ends it at once; what it has not done is done by the next attempt. */
  kill(): void;
}

export type ExecuteTask = (task: StoreTask) => TaskExecution;

/** Does each task in a process of its own: what it works out and writes must not keep requests waiting. */
export const executeTaskInProcess: ExecuteTask = (task) => {
  const { child, complaint } = forkProgram(import.meta.url, 'task-main');
  let told: TaskEnd | null = null;
  child.once('message', (message) => (told = message as TaskEnd)); // the process sends nothing else
  const ended = new Promise<TaskEnd>((resolve) => {
    child.once('error', ({ message }) => {
      resolve({ error: message });
    });
    child.once('close', (code, signal) => {
      const why = `The process of the task has died (${signal ?? `exit code ${code}`}). ${complaint()}`.trim();
      resolve(told ?? { error: why });
    });
  });
  child.send(task, () => undefined); // a process that has died in the meantime ends the execution by itself
  return { ended, kill: () => child.kill('SIGKILL') };
};

/** Does each task in the server's own process: for a store that one process alone can open (`chdb:`). */
export function executeTaskInServer(importConnector?: Surroundings['importConnector']): ExecuteTask {
  return (task) => {
    const stop = new AbortController();
    const ended = runStoreTask(task, stop.signal, importConnector).then(
      () => ({ error: null }),
      (error: unknown) => ({ error: failureOf(error, [task.store]).message }),
    );
    return {
      ended,
      kill: () => {
        stop.abort();
      },
    };
  };
}

import { failureOf } from '../../../sync/failures.js';
import type { SyncDependencies } from '../../../sync/dependencies.js';
import { forkProgram } from '../sync-runs/jobs/fork-program.js';
import { runStoreTask, secretsOf, type StoreTask, type TaskEnd } from './run-task.js';

/** A task in progress, in this process or another. */
export interface TaskExecution {
  /** Never rejects. */
  readonly ended: Promise<TaskEnd>;
  /** Ends it immediately. The next attempt completes the work. */
  kill(): void;
}

export type ExecuteTask = (task: StoreTask) => TaskExecution;

/** Runs each task in a separate process, so that its work does not delay requests. */
export const executeTaskInProcess: ExecuteTask = (task) => {
  const { child, complaint } = forkProgram(import.meta.url, 'task-main');
  let told: TaskEnd | null = null;
  child.once('message', (message) => (told = message as TaskEnd)); // the process sends nothing else
  const ended = new Promise<TaskEnd>((resolve) => {
    child.once('error', ({ message }) => {
      resolve({ error: message });
    });
    child.once('close', (code, signal) => {
      const why = `The task's process died (${signal ?? `exit code ${code}`}). ${complaint()}`.trim();
      resolve(told ?? { error: why });
    });
  });
  child.send(task, () => undefined); // if the process has died, its exit ends the execution
  return { ended, kill: () => child.kill('SIGKILL') };
};

/** Runs each task in the server's process, for a store that only one process can open (`chdb:`). */
export function executeTaskInServer(importConnector?: SyncDependencies['importConnector']): ExecuteTask {
  return (task) => {
    const stop = new AbortController();
    const ended = runStoreTask(task, stop.signal, importConnector).catch((error: unknown): TaskEnd => ({
      error: failureOf(error, secretsOf(task)).message,
    }));
    return {
      ended,
      kill: () => {
        stop.abort();
      },
    };
  };
}

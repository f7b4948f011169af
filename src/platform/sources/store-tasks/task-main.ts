/** The process of one store task, started by `execute-task.ts`. Receives the task over its IPC channel. */
import { constants, setPriority } from 'node:os';
import { failureOf } from '../../../sync/failures.js';
import { runStoreTask, secretsOf, type StoreTask, type TaskEnd } from './run-task.js';

setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // requests come first

process.once('message', (message) => {
  const task = message as StoreTask; // the server sends nothing else
  void endOf(task).then((end) => process.send?.(end, () => process.exit(0)));
});
// Ctrl-C and service managers signal all processes of a group; only the server decides when to stop.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
// The server has died; another one will run the task.
process.once('disconnect', () => process.exit(1));

async function endOf(task: StoreTask): Promise<TaskEnd> {
  try {
    return await runStoreTask(task, new AbortController().signal);
  } catch (error) {
    return { error: failureOf(error, secretsOf(task)).message };
  }
}

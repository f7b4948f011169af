import { forkProgram } from './fork-program.js';
import type { MessageToProcess, MessageToServer } from './process-messages.js';
import type { ExecutionEnd, StartExecution } from './sync-job.js';

/**
 * Starts each job in a separate process. A sync is long and CPU-intensive, and its database driver ends the process
 * when a transaction loses its connection at the wrong moment. None of that may affect requests.
 */
export const executeInProcess: StartExecution = (job, report) => {
  const { child, complaint } = forkProgram(import.meta.url, 'process-main');
  const send = (message: MessageToProcess): void => {
    // If the process has died, its exit ends the execution.
    child.send(message, () => undefined);
  };

  let told: ExecutionEnd | null = null;
  child.on('message', (message) => {
    const received = message as MessageToServer; // the process sends only these
    if (received.kind === 'progress') report.progress(received.progress);
    else if (received.kind === 'step') report.step(received.step);
    else if (received.kind === 'note') report.note(received.text);
    else if (received.kind === 'fresh-token') {
      void report.freshToken(received.used).then((answer) => {
        send({ kind: 'token', answer });
      });
    } else told = received.end;
  });
  const ended = new Promise<ExecutionEnd>((resolve) => {
    child.once('error', (error) => {
      resolve({ kind: 'died', reason: error.message });
    });
    child.once('close', (code, signal) => {
      resolve(told ?? { kind: 'died', reason: `${signal ?? `exit code ${code}`} ${complaint()}`.trim() });
    });
  });
  send({ kind: 'start', job });
  return {
    ended,
    stop: () => {
      send({ kind: 'stop' });
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
};

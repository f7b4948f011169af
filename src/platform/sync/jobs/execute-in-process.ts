import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from './program-environment.js';
import type { MessageToProcess, MessageToServer } from './process-messages.js';
import type { ExecutionEnd, StartExecution } from './sync-job.js';

/**
 * Starts each job in a process of its own. A sync is long, busy, and speaks to databases through a driver that ends the
 * process when a transaction loses its connection at the wrong moment: none of that may reach those who make requests.
 */
export const executeInProcess: StartExecution = (job, report) => {
  const isSource = import.meta.url.endsWith('.ts'); // as tests run it: the process needs the same loader
  const file = fileURLToPath(new URL(isSource ? './process-main.ts' : './process-main.js', import.meta.url));
  const child = fork(file, {
    execArgv: isSource ? ['--import', 'tsx'] : [],
    env: programEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const send = (message: MessageToProcess): void => {
    // A process that has died in the meantime ends the execution by itself.
    child.send(message, () => undefined);
  };

  let told: ExecutionEnd | null = null;
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4096)));
  child.on('message', (message) => {
    const received = message as MessageToServer; // the process sends nothing else
    if (received.kind === 'progress') report.progress(received.progress);
    else if (received.kind === 'step') report.step(received.step);
    else told = received.end;
  });
  const ended = new Promise<ExecutionEnd>((resolve) => {
    child.once('error', (error) => {
      resolve({ kind: 'died', reason: error.message });
    });
    child.once('close', (code, signal) => {
      resolve(told ?? { kind: 'died', reason: `${signal ?? `exit code ${code}`} ${complaint}`.trim() });
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

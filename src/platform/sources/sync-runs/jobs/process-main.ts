/** The process of one job, started by `execute-in-process.ts`. Receives the job over its IPC channel. */
import { constants, setPriority } from 'node:os';
import type { Schemas } from '../../../../../generated/platform/operations.js';
import { keepHeapSteady } from '../../../../sync/steady-heap.js';
import { systemClock } from '../../../../sync/clock.js';
import { systemRandom } from '../../../../sync/random.js';
import { startTracing, stopTracing } from '@plumbline/contract/system/start-tracing';
import { executeHere } from './execute-here.js';
import type { MessageToProcess, MessageToServer } from './process-messages.js';
import { programEnvironment } from './program-environment.js';
import type { JobToken, SyncExecution, SyncJob } from './sync-job.js';

/** The server reads the progress with its heartbeats, which are less frequent. */
const progressEveryMs = 500;
/** The time to finish storing a page after the server has died. */
const graceMs = 10_000;

setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // requests come first
keepHeapSteady();
// Problems of the export are logged by the server, which exports to the same address.
await startTracing(process.env, () => undefined);
let execution: SyncExecution | null = null;
/** Receives the token that the server was asked for. */
let tellToken: (answer: JobToken) => void = () => undefined;

process.on('message', (message) => {
  const received = message as MessageToProcess; // the server sends nothing else
  if (received.kind === 'start') execution = start(received.job);
  else if (received.kind === 'token') tellToken(received.answer);
  else execution?.stop();
});
// Ctrl-C and service managers signal all processes of a group; only the server decides when to stop, so the current
// page is finished.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => execution?.stop());
// The server has died; another one continues the job.
process.once('disconnect', () => {
  execution?.stop();
  setTimeout(() => process.exit(1), graceMs).unref();
});

function start(job: SyncJob): SyncExecution {
  let latest: Schemas['SyncProgress'] | null = null;
  const sendProgress = (): void => {
    if (latest !== null) tell({ kind: 'progress', progress: latest });
    latest = null;
  };
  const timer = setInterval(sendProgress, progressEveryMs);
  const started = executeHere(
    job,
    {
      progress: (progress) => (latest = progress),
      step: (step) => {
        sendProgress();
        tell({ kind: 'step', step });
      },
      note: (text) => {
        tell({ kind: 'note', text });
      },
      // If the server has died, this process ends after its grace period.
      freshToken: (used) =>
        new Promise((resolve) => {
          tellToken = resolve;
          tell({ kind: 'fresh-token', used });
        }),
    },
    {
      ...systemClock,
      ...systemRandom,
      environment: programEnvironment(process.env),
    },
  );
  void started.ended.then((end) => {
    clearInterval(timer);
    sendProgress();
    // Connections to hosts may still be open, but are no longer needed.
    tell({ kind: 'end', end }, () => void stopTracing().finally(() => process.exit(0)));
  });
  return started;
}

function tell(message: MessageToServer, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, then);
  else then();
}

import type { SyncDependencies } from '../../../../sync/dependencies.js';
import { systemClock } from '../../../../sync/clock.js';
import { systemRandom } from '../../../../sync/random.js';
import { executeHere } from './execute-here.js';
import { programEnvironment } from './program-environment.js';
import type { ExecutionEnd, StartExecution } from './sync-job.js';

/**
 * Starts each job in the server's process, for a store that only one process can open (`chdb:`): the process that
 * answers queries. The engine has its own threads; the sync itself shares the event loop with requests.
 *
 * @param importConnector imports optional packages; tests pass one for packages installed elsewhere
 */
export function executeInServer(importConnector?: SyncDependencies['importConnector']): StartExecution {
  return (job, report) => {
    const execution = executeHere(job, report, {
      ...systemClock,
      ...systemRandom,
      environment: programEnvironment(process.env),
      ...(importConnector === undefined ? {} : { importConnector }),
    });
    let tellKilled: (end: ExecutionEnd) => void = () => undefined;
    const killed = new Promise<ExecutionEnd>((resolve) => (tellKilled = resolve));
    return {
      ended: Promise.race([execution.ended, killed]),
      stop: () => {
        execution.stop();
      },
      // A running statement of the engine cannot be cancelled and is not awaited. Storing its data again has no effect.
      kill: () => {
        execution.kill();
        tellKilled({ kind: 'stopped' });
      },
    };
  };
}

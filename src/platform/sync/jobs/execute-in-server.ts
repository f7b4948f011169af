import type { Surroundings } from '../../../sync/surroundings.js';
import { systemSurroundings } from '../../../sync/system-surroundings.js';
import { executeHere } from './execute-here.js';
import { programEnvironment } from './program-environment.js';
import type { ExecutionEnd, StartExecution } from './sync-job.js';

/**
 * Starts each job in the server's own process: for a store that one process alone can open (`chdb:`), which is the one
 * that answers the queries. The engine works on threads of its own; what the sync itself does takes turns with requests.
 *
 * @param importConnector how optional packages are imported; tests hand in one that is installed elsewhere
 */
export function executeInServer(importConnector?: Surroundings['importConnector']): StartExecution {
  return (job, report) => {
    const execution = executeHere(job, report, {
      ...systemSurroundings,
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
      // A statement of the engine cannot be ended from here. It is not waited for: storing it again changes nothing.
      kill: () => {
        execution.kill();
        tellKilled({ kind: 'stopped' });
      },
    };
  };
}

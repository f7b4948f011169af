/** down. */
import { Option, type Command } from 'commander';
import { down, type DownOptions } from '../../orchestrator/down.js';
import { wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';

export interface DownFlags {
  readonly volumes?: boolean;
  readonly rmi?: 'local' | 'all';
  readonly removeOrphans?: boolean;
  readonly timeout?: number;
}

export function downCommand(compose: Command, io: Io): void {
  define<DownFlags>(compose, io, {
    usage: 'down [services...]',
    description: 'stop and remove containers and networks',
    options: (command) =>
      command
        .option('-v, --volumes', 'remove the volumes, too, with what they hold')
        .addOption(
          new Option('--rmi <which>', 'remove images: local ones without a name of their own, or all').choices([
            'local',
            'all',
          ]),
        )
        .option('--remove-orphans', 'remove containers of services that the file does not have')
        .option('-t, --timeout <seconds>', 'how long containers may take to stop (default: 10)', wholeNumber),
    run: async (session, services, flags) => {
      const { name, project } = await session.select(services);
      const options: DownOptions = {
        services,
        volumes: flags.volumes === true,
        removeOrphans: flags.removeOrphans === true,
        timeoutSeconds: flags.timeout,
        ...(flags.rmi && { images: flags.rmi }),
        ...(project && { project }),
      };
      const { keptNetworks } = await down(await session.orchestration(), name, options);
      return keptNetworks.length === 0 ? 0 : 1;
    },
    remote: async () => (await import('../remote/project.js')).down,
  });
}

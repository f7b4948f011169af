import { Option, type Command } from 'commander';
import { down, type DownOptions } from '../../orchestrator/down.js';
import { wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import type { DownFlags } from '../flags.js';
import { keepOrphans, removesOrphans } from '../settings.js';

export function downCommand(compose: Command, io: Io): void {
  define<DownFlags>(compose, io, {
    usage: 'down [services...]',
    stops: true,
    description: 'stop and remove containers and networks',
    options: (command) =>
      command
        .option('-v, --volumes', 'also remove volumes and their data')
        .addOption(
          new Option('--rmi <which>', 'remove images: local (built without a custom name) or all').choices([
            'local',
            'all',
          ]),
        )
        .option('--remove-orphans', 'remove containers of services not in the compose file')
        .addOption(keepOrphans())
        .option('-t, --timeout <seconds>', 'time for containers to stop (default: 10)', wholeNumber),
    run: async (session, services, flags) => {
      const { name, project } = await session.select(services);
      const options: DownOptions = {
        services,
        volumes: flags.volumes === true,
        removeOrphans: removesOrphans(flags, session.variables),
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

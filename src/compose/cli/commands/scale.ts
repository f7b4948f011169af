/** `scale`: sets the number of containers of services. */
import type { Command } from 'commander';
import { selectServices } from '../../model/project/profiles.js';
import { up } from '../../orchestrator/up.js';
import { replicasIn } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import type { ScaleFlags } from '../flags.js';

export function scaleCommand(compose: Command, io: Io): void {
  define<ScaleFlags>(compose, io, {
    usage: 'scale <service=number...>',
    stops: true,
    description: 'set the number of containers of services; other services are not changed',
    options: (command) => command.option('--no-deps', 'do not start dependencies'),
    examples: ['compose scale web=3 worker=0'],
    run: async (session, words, { deps }) => {
      const scale = replicasIn(words);
      const services = [...scale.keys()];
      const loaded = await session.load(deps === false ? [] : services);
      const project = deps === false ? selectServices(loaded.project, services, 'ignore') : loaded.project;
      const orchestration = await session.orchestration();
      return session.explaining(async () => {
        // Dependencies stay as they are where they exist: only the named services get another number.
        await up(orchestration, { ...loaded, project }, { scale, targets: services });
        return 0;
      }, project);
    },
    remote: async () => (await import('../remote/scale.js')).scale,
  });
}

import { Option, type Command } from 'commander';
import { selectServices } from '../../model/project/profiles.js';
import { pullProject, pushProject } from '../../orchestrator/image-commands.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import { quieter } from '../quiet.js';
import type { Session } from '../session.js';
import type { Loaded } from '../../orchestrator/up.js';
import type { PullFlags } from '../flags.js';

export function pullCommand(compose: Command, io: Io): void {
  define<PullFlags>(compose, io, {
    usage: 'pull [services...]',
    description: 'pull images',
    options: (command) =>
      command
        .option('--ignore-pull-failures', 'continue when a pull fails')
        .option('--ignore-buildable', 'skip services that are built')
        .option('--include-deps', 'also pull dependencies')
        .addOption(new Option('--policy <policy>', 'which ones').choices(['always', 'missing']).default('always'))
        .option('-q, --quiet', 'do not print progress'),
    run: async (session, services, flags) => {
      const { project } = await loadChosen(session, services, flags.includeDeps === true);
      await pullProject(quieter(await session.orchestration(), { quiet: flags.quiet === true }), project, {
        ignoreFailures: flags.ignorePullFailures === true,
        ignoreBuildable: flags.ignoreBuildable === true,
        policy: flags.policy,
      });
      return 0;
    },
    remote: async () => (await import('../remote/images.js')).pull,
  });
}

interface PushFlags {
  readonly ignorePushFailures?: boolean;
  readonly includeDeps?: boolean;
  readonly quiet?: boolean;
}

export function pushCommand(compose: Command, io: Io): void {
  define<PushFlags>(compose, io, {
    usage: 'push [services...]',
    description: 'push images of services that are built and have an image name',
    options: (command) =>
      command
        .option('--ignore-push-failures', 'continue when a push fails')
        .option('--include-deps', 'also push images of dependencies')
        .option('-q, --quiet', 'do not print progress'),
    run: async (session, services, { ignorePushFailures, includeDeps, quiet }) => {
      const { project } = await loadChosen(session, services, includeDeps === true);
      const orchestration = await session.orchestration();
      const ignoreFailures = ignorePushFailures === true;
      await pushProject(quieter(orchestration, { quiet: quiet === true }), project, { ignoreFailures });
      return 0;
    },
  });
}

async function loadChosen(session: Session, services: readonly string[], dependencies: boolean): Promise<Loaded> {
  if (dependencies) return session.load(services);
  const { project, contents } = await session.load();
  return { project: selectServices(project, services, 'ignore'), contents };
}

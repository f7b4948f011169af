import type { Command } from 'commander';
import { down } from '../../orchestrator/down.js';
import { selectMembers } from '../../orchestrator/lifecycle.js';
import { up } from '../../orchestrator/up.js';
import { requireWatchedPaths, watchedServices, watchProject, type WatchObserver } from '../../orchestrator/watch.js';
import { define } from '../command.js';
import { describe, UsageError } from '../failures.js';
import type { Io } from '../io.js';
import { DRY_RUN } from '../progress-view.js';
import { quieter } from '../quiet.js';

export function waitCommand(compose: Command, io: Io): void {
  define<{ downProject?: boolean }>(compose, io, {
    usage: 'wait <services...>',
    stops: true,
    description: 'wait until a container of these services exits, and return its exit code',
    options: (command) => command.option('--down-project', 'take the project down afterwards'),
    run: async (session, services, { downProject }) => {
      const orchestration = await session.orchestration();
      const selection = await session.select(services);
      const members = await selectMembers(orchestration, selection);
      if (members.length === 0) throw new UsageError('These services have no containers to wait for.');
      const settled = new AbortController();
      const signal = AbortSignal.any([orchestration.signal, settled.signal]);
      const ends = members.map(({ container }) => orchestration.backend.internal.awaitExit(container.id, { signal }));
      const { exitCode } = await Promise.race(ends).finally(() => {
        settled.abort();
      });
      if (downProject === true) {
        const { name, project } = selection;
        await down(orchestration, name, project === undefined ? {} : { project });
      }
      return exitCode;
    },
    remote: async () => (await import('../remote/lifecycle.js')).wait,
  });
}

export function watchCommand(compose: Command, io: Io): void {
  define<{ prune: boolean; quiet?: boolean; up?: boolean }>(compose, io, {
    usage: 'watch [services...]',
    stops: true,
    description: 'apply file changes to containers (develop.watch) until Ctrl-C',
    options: (command) =>
      command
        .option('--no-up', 'do not start services first')
        .option('--prune', 'remove images that a rebuild replaces (default)', true)
        .option('--no-prune', 'keep them')
        .option('--quiet', 'do not print progress'),
    run: async (session, services, flags) => {
      const loaded = await session.load(services);
      if (watchedServices(loaded).length === 0) throw new UsageError('No service has a develop.watch section.');
      await requireWatchedPaths(loaded);
      const orchestration = quieter(await session.orchestration(), { quiet: flags.quiet === true });
      if (flags.up !== false) await up(orchestration, loaded);
      await session.io.stderr.write(`Watching for ${watchedServices(loaded).join(', ')}. Press Ctrl-C to stop.\n`);
      const prefix = session.isDryRun ? DRY_RUN : '';
      const observer: WatchObserver = {
        applied: (text) => void (flags.quiet === true || session.print(`${prefix}${text}\n`)),
        failed: (service, error) => {
          session.progress.report({ kind: 'warning', message: `${service}: ${describe(error)}` });
        },
      };
      await watchProject(orchestration, loaded, observer, { prune: flags.prune });
      return 0;
    },
  });
}

/** `ps`: lists the containers of a project, with the fields of docker compose. */
import type { Command } from 'commander';
import { surveyProject } from '../../orchestrator/actual-state.js';
import { collected } from '../arguments.js';
import { define } from '../command.js';
import { FORMAT_HELP } from '../format/listing.js';
import type { Io } from '../io.js';
import type { PsFlags } from '../flags.js';
import { printContainers, STATUSES } from '../print/containers.js';

export function psCommand(compose: Command, io: Io): void {
  define<PsFlags>(compose, io, {
    usage: 'ps [services...]',
    description: 'list containers',
    options: (command) =>
      command
        .option('-a, --all', 'include stopped and one-off containers')
        .option('--filter <filter>', 'status=<status>; repeatable', collected)
        .option('--format <format>', FORMAT_HELP)
        .option('--no-trunc', 'do not shorten ids and commands')
        .option('--orphans', 'include services not in the compose file (default)')
        .option('--no-orphans', 'exclude services not in the compose file')
        .option('-q, --quiet', 'ids only')
        .option('--services', 'print service names only')
        .option('--status <status>', `filter by status: ${STATUSES.join(', ')}; repeatable`, collected),
    examples: ['compose ps -a', "compose ps --format 'table {{.Name}}\\t{{.State}}'", 'compose ps --status exited -q'],
    run: async (session, services, flags) => {
      const selection = await session.select(services);
      const present = await surveyProject(await session.orchestration(), selection.name);
      return printContainers(session, selection, present, flags);
    },
    remote: async () => (await import('../remote/listings.js')).ps,
  });
}

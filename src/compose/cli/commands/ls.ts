/** `ls`: lists projects, with the fields of docker compose. */
import type { Command } from 'commander';
import { listProjects } from '../../orchestrator/projects.js';
import { collected } from '../arguments.js';
import { define } from '../command.js';
import { FORMAT_HELP } from '../format/listing.js';
import type { Io } from '../io.js';
import type { LsFlags } from '../flags.js';
import { printProjects } from '../print/projects.js';

export function lsCommand(compose: Command, io: Io): void {
  define<LsFlags>(compose, io, {
    usage: 'ls',
    description: 'list projects that have containers',
    options: (command) =>
      command
        .option('-a, --all', 'include stopped projects')
        .option('--filter <filter>', 'name=<part of the name, or a regular expression>; repeatable', collected)
        .option('--format <format>', FORMAT_HELP)
        .option('-q, --quiet', 'names only'),
    run: async (session, _args, flags) =>
      printProjects(session, await listProjects(await session.orchestration()), flags),
    remote: async () => (await import('../remote/listings.js')).ls,
  });
}

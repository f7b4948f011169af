import { Option, type Command } from 'commander';
import { selectMembers } from '../../orchestrator/lifecycle.js';
import { projectLogs } from '../../orchestrator/logs.js';
import { moment, tailCount, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import type { LogsFlags } from '../flags.js';
import { printLines } from '../print/log-lines.js';

export function logsCommand(compose: Command, io: Io): void {
  const time = moment(() => io.clock.now());
  define<LogsFlags>(compose, io, {
    usage: 'logs [services...]',
    description: 'print container logs',
    options: (command) =>
      command
        .option('-f, --follow', 'follow new output')
        .option('--since <time>', 'print lines since a date or duration (42m)', time)
        .option('--until <time>', 'print lines up to this time', time)
        .option('-n, --tail <number>', 'number of lines per container, or all', tailCount)
        .option('-t, --timestamps', 'print the time of each line')
        .option('--no-color', 'disable colours')
        .option('--no-log-prefix', 'omit container names')
        .option('--index <number>', 'number of the container', wholeNumber)
        .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text')),
    run: async (session, services, flags) => {
      const orchestration = await session.orchestration();
      const { index, since, until, tail } = flags;
      const selection = await session.select(services);
      const selected = await selectMembers(orchestration, selection);
      const members = selected.filter(({ number }) => index === undefined || number === index);
      const lines = projectLogs(
        orchestration,
        members,
        {
          follow: flags.follow === true,
          ...(since && { since }),
          ...(until && { until }),
          ...(tail !== undefined && { tail }),
        },
        { project: selection.name, services },
      );
      return printLines(session, selection.name, members, lines, flags);
    },
    remote: async () => (await import('../remote/output.js')).logs,
  });
}

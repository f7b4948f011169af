import type { Command } from 'commander';
import { LABELS } from '../../orchestrator/labels.js';
import { moment } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import type { EventsFlags } from '../flags.js';
import { printEvents } from '../print/events.js';

export function eventsCommand(compose: Command, io: Io): void {
  const time = moment(() => io.clock.now());
  define<EventsFlags>(compose, io, {
    usage: 'events [services...]',
    description: 'print container events until Ctrl-C',
    options: (command) =>
      command
        .option('-j, --json', 'one JSON object per line')
        .option('--since <time>', 'also print events since a date or duration (42m)', time)
        .option('--until <time>', 'print events up to this time', time),
    run: async (session, services, { json, since, until }) => {
      const { name } = await session.select();
      const { backend, signal } = await session.orchestration();
      const labels = { [LABELS.project]: name };
      try {
        const events = await backend.system.events({
          labels,
          signal,
          ...(since && { since }),
          ...(until && { until }),
        });
        await printEvents(session, services, events, json === true);
      } catch (error) {
        // Ctrl-C is the normal end of following.
        if (!session.signal.aborted) throw error;
      }
      return 0;
    },
    remote: async () => (await import('../remote/output.js')).events,
  });
}

import type { Command } from 'commander';
import { LABELS } from '../../orchestrator/labels.js';
import type { RuntimeEvent } from '../../runtime/records.js';
import { moment } from '../arguments.js';
import { define } from '../command.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';

export interface EventsFlags {
  readonly json?: boolean;
  readonly since?: Date;
  readonly until?: Date;
}

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

/** @param services empty: all */
export async function printEvents(
  session: Session,
  services: readonly string[],
  events: AsyncIterable<RuntimeEvent>,
  asJson: boolean,
): Promise<void> {
  for await (const event of events) {
    const service = event.labels[LABELS.service] ?? '';
    if (services.length > 0 && !services.includes(service)) continue;
    await session.print(asJson ? `${jsonOf(event, service)}\n` : lineOf(event));
  }
}

/** The engine's words for what happens. */
const ACTIONS: Readonly<Record<RuntimeEvent['type'], string>> = {
  created: 'create',
  started: 'start',
  killed: 'kill',
  stopped: 'die',
  exited: 'die',
  oomKilled: 'oom',
  health: 'health_status',
  removed: 'destroy',
};

function actionOf({ type, health }: RuntimeEvent): string {
  return type === 'health' ? `${ACTIONS[type]}: ${health ?? ''}` : ACTIONS[type];
}

/** Labels are set by users and may contain anything, so they are omitted. */
function attributesOf({ name, exitCode, signal }: RuntimeEvent): Record<string, string> {
  return {
    name,
    ...(exitCode !== undefined && { exitCode: String(exitCode) }),
    ...(signal !== undefined && { signal }),
  };
}

function lineOf(event: RuntimeEvent): string {
  const attributes = Object.entries(attributesOf(event)).map(([key, value]) => `${key}=${value}`);
  return `${event.time} container ${actionOf(event)} ${event.id} (${attributes.join(', ')})\n`;
}

function jsonOf(event: RuntimeEvent, service: string): string {
  const { id, time } = event;
  const attributes = attributesOf(event);
  return JSON.stringify({ action: actionOf(event), attributes, id, service, time, type: 'container' });
}

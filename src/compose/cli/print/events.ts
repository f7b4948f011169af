import { LABELS } from '../../orchestrator/labels.js';
import type { RuntimeEvent } from '../../runtime/records.js';
import type { Session } from '../session.js';

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

/** The engine's names of the events. */
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

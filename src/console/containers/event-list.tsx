import type { JSX } from 'preact';
import { useStore } from '../session/store.js';
import { events, projectOf, type ContainerEvent } from './events.js';
import { timeOfDay } from '../ui/moment.js';

const shown = 50;

/** What has happened to the containers of a project since the page was opened. */
export function Events({ project }: { project: string }): JSX.Element {
  const own = useStore(events).filter((event) => projectOf(event) === project);
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Events</h2>
      {own.length === 0 ? (
        <p class="muted">Nothing has happened since this page was opened.</p>
      ) : (
        <ol class="events" tabIndex={0} aria-labelledby="events">
          {own.slice(0, shown).map((event) => (
            <li key={`${event.time} ${event.id} ${event.type}`}>
              <time dateTime={event.time} class="muted">
                {timeOfDay.format(new Date(event.time))}
              </time>{' '}
              <span class="break">{event.name}</span> {wordsOf(event)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function wordsOf({ type, exit_code: code, signal, health }: ContainerEvent): string {
  if (type === 'health') return `is ${health ?? 'checked'}`;
  if (type === 'oom_killed') return 'ran out of memory';
  if (type === 'killed') return `got ${signal ?? 'a signal'}`;
  return code === null ? `was ${type}` : `has ${type === 'stopped' ? 'stopped' : 'exited'} with ${code}`;
}

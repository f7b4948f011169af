import { streamEvents, type Schemas } from '@plumbline/sdk/compose';
import { createStore } from '../session/store.js';
import { refresh } from './queries.js';
import { ask, compose, pageState, withKey } from './session.js';

export type ContainerEvent = Schemas['ContainerEvent'];

/** How many events are kept. */
const kept = 200;
const retryMs = 3000;
/** Several events come at once when a project starts: they are answered by one question. */
const settleMs = 150;

/** What has happened to containers since the page was opened, the newest first. */
export const events = createStore<readonly ContainerEvent[]>([]);

/** Follows the events of the server until the signal fires. Each one brings the page up to date. */
export async function followEvents(signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  while (!signal.aborted && pageState.get().kind === 'in') {
    try {
      for await (const event of await ask(streamEvents(compose, { ...withKey(), signal }))) {
        events.set([event, ...events.get()].slice(0, kept));
        clearTimeout(timer);
        timer = setTimeout(() => void refresh(), settleMs);
      }
    } catch {
      // The views say that the server is away.
    }
    await pause(retryMs, signal);
  }
  clearTimeout(timer);
}

/** Settles after that long, or when the signal fires. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Settles when a container of a project has started, or when the signal fires. */
export function nextStart(project: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = events.subscribe(([newest]) => {
      if (newest?.type === 'started' && projectOf(newest) === project) done();
    });
    const done = (): void => {
      end();
      resolve();
    };
    signal.addEventListener('abort', done);
  });
}

export function projectOf({ labels }: ContainerEvent): string {
  return labels['com.docker.compose.project'] ?? '';
}

import type { Log } from '@plumbline/contract/contract-types';
import type { Clock } from '../../clock.js';
import type { PlatformSettings } from '../settings.js';
import type { StartExecution } from '../../sources/sync-runs/jobs/sync-job.js';

/** What the steps of a start share. */
export interface Startup {
  readonly settings: PlatformSettings;
  readonly log: Log;
  readonly clock: Clock;
  readonly executeSync: StartExecution | undefined;
  readonly importConnector: ((name: string) => Promise<unknown>) | undefined;
  /** One for each started part, in the order of the start. They run in the opposite order. */
  readonly stops: (() => Promise<void>)[];
  /** Where the server listens; a port of 0 is replaced when it does. */
  listening: string;
  /** Set when the server stops: it is not ready any more. */
  isStopping: boolean;
  /** Aborts when the process is asked to end; a start that waits for the database gives up then. */
  readonly ending: AbortSignal;
  /** Whether requests are accepted for `SHUTDOWN_DRAIN` seconds after the stop. */
  drains: boolean;
  /** Aborts when the server stops to listen. */
  readonly closing: AbortController;
}

/** The base URL of links in mails: `APP_BASE_URL`, or the address at which the server listens. */
export function appBaseUrlOf(startup: Startup): () => string {
  return () => startup.settings.appBaseUrl ?? startup.listening;
}

/** The maximum time for requests and syncs to end after a stop. */
export function deadlineMsOf({ settings }: Startup): number {
  return settings.shutdownDeadlineSeconds * 1000;
}

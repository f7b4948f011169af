import { setMaxListeners } from 'node:events';
import type { Log } from '@plumbline/contract/contract-types';
import { assertListenable } from '@plumbline/contract/server';
import type { Database } from '../database/connection.js';
import type { AccountSweep } from './identity/accounts/account-sweep.js';
import { systemClock, type Clock } from './clock.js';
import { localUrl } from './server/local-url.js';
import type { MailDispatcher } from './messages/mail/dispatcher.js';
import type { Rounds } from './server/rounds.js';
import type { PlatformSettings } from './server/settings.js';
import { createDependencies } from './server/start/create-dependencies.js';
import { startServer } from './server/start/server.js';
import { startServices } from './server/start/services.js';
import type { Startup } from './server/start/startup.js';
import { openStores } from './server/start/stores.js';
import type { StartExecution } from './sources/sync-runs/jobs/sync-job.js';
import type { SyncJobs } from './sources/sync-runs/jobs/sync-jobs.js';
import type { WebhookDispatcher } from './messages/webhooks/dispatcher.js';

export interface RunningPlatform {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly database: Database;
  readonly mails: MailDispatcher;
  readonly webhooks: WebhookDispatcher;
  readonly syncJobs: SyncJobs;
  readonly accountSweep: AccountSweep;
  readonly retention: Rounds;
  readonly organizationRemoval: Rounds;
  readonly syncSchedules: Rounds;
  readonly thresholds: Rounds;
  /**
   * Finishes pending work: requests and syncs first, then mails, then the database.
   *
   * @param options `drains`: accepts requests for `SHUTDOWN_DRAIN` seconds more; default: true
   */
  stop(options?: { readonly drains: boolean }): Promise<void>;
}

export interface PlatformOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** How a sync is executed; default: in a separate process, or in this one if only one process can open the store. */
  readonly executeSync?: StartExecution;
  /** Imports optional packages; default: `import()`. */
  readonly importConnector?: (name: string) => Promise<unknown>;
  /** Ends a start that waits for the database; default: nothing does but `DATABASE_WAIT`. */
  readonly ending?: AbortSignal;
}

/**
 * Starts the Platform: its database (embedded unless the settings name one), the migrations, the server and the mail.
 *
 * @throws SettingError when a setting does not match the database; otherwise the failure of the part that could not
 * start, after the started parts have been stopped
 */
export async function startPlatform(
  settings: PlatformSettings,
  { log, clock = systemClock, executeSync, importConnector, ending = new AbortController().signal }: PlatformOptions,
): Promise<RunningPlatform> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each open stream listens
  const startup: Startup = {
    ...{ settings, log, clock, executeSync, importConnector, closing, ending },
    stops: [],
    listening: localUrl(settings),
    isStopping: false,
    drains: true,
  };
  const stop: RunningPlatform['stop'] = async ({ drains } = { drains: true }) => {
    startup.drains = drains;
    for (const each of startup.stops.splice(0).reverse()) await each();
  };
  try {
    await assertListenable(settings.host, settings.port);
    const stores = await openStores(startup);
    const services = startServices(startup, stores);
    const dependencies = await createDependencies(startup, stores, services);
    const { server, thresholds } = await startServer(startup, stores, services, dependencies);
    const { mails, webhooks, syncJobs, accountSweep, retention, organizationRemoval, syncSchedules } = services;
    const { database } = stores;
    const sweeps = { accountSweep, retention, organizationRemoval, syncSchedules };
    return { url: server.url, database, mails, webhooks, syncJobs, ...sweeps, thresholds, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

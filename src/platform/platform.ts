import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../generated/contract.js';
import { assertListenable } from '../contract/server.js';
import { openDatabase, type Database } from '../database/connection.js';
import { startEmbeddedPostgres } from '../database/embedded.js';
import { migrate } from '../database/migrate.js';
import { outboundFetch } from '../outbound/outbound-fetch.js';
import { countOpen } from '../system/open-counts.js';
import { startAccountSweep, type AccountSweep } from './accounts/account-sweep.js';
import { serveAnalytics } from './analytics/serve-analytics.js';
import { startMails, startStoreWork } from './background-work.js';
import { systemClock, type Clock } from './clock.js';
import type { PlatformDependencies } from './dependencies.js';
import { databaseUnreadiness } from './failures.js';
import { keyRings } from './key-rings.js';
import { localUrl } from './local-url.js';
import { startReplySweep } from './idempotency/reply-sweep.js';
import type { Rounds } from './rounds.js';
import { startThresholdEvaluation } from './thresholds/evaluation.js';
import { startWebhookDispatcher, type WebhookDispatcher } from './webhooks/dispatcher.js';
import type { MailDispatcher } from './mail/dispatcher.js';
import { createMetrics } from './operations/metrics.js';
import { createPasswords } from './passwords/passwords.js';
import { systemRandom } from './random.js';
import { createOpenRecords } from './records/open-records.js';
import { createSecretBox } from './secrets/secret-box.js';
import { assertSameSecretsKey, loadSecretsKey } from './secrets/secrets-key.js';
import { servePlatform } from './serve-platform.js';
import type { PlatformSettings } from './settings.js';
import type { StartExecution } from './sync/jobs/sync-job.js';
import { mostStreams } from './sync/watch-sync-run.js';
import type { SyncJobs } from './sync/jobs/sync-jobs.js';
import { createTokens } from './tokens/tokens.js';

export interface RunningPlatform {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly database: Database;
  readonly mails: MailDispatcher;
  readonly webhooks: WebhookDispatcher;
  readonly syncJobs: SyncJobs;
  readonly accountSweep: AccountSweep;
  readonly replySweep: Rounds;
  readonly thresholds: Rounds;
  /** Finishes pending work: requests and syncs first, then mails, then the database. */
  stop(): Promise<void>;
}

export interface PlatformOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** How a sync is executed; default: in a separate process, or in this one if only one process can open the store. */
  readonly executeSync?: StartExecution;
  /** Imports optional packages; default: `import()`. */
  readonly importConnector?: (name: string) => Promise<unknown>;
}

/**
 * Starts the Platform: its database (embedded unless the settings name one), the migrations, the server and the mail.
 *
 * @throws SettingError when a setting does not match the database; otherwise the failure of the part that could not
 * start, after the started parts have been stopped
 */
export async function startPlatform(
  settings: PlatformSettings,
  { log, clock = systemClock, executeSync, importConnector }: PlatformOptions,
): Promise<RunningPlatform> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  let listening = localUrl(settings);
  const appBaseUrl = (): string => settings.appBaseUrl ?? listening;
  try {
    await assertListenable(settings.host, settings.port);
    const uri = settings.databaseUri ?? (await embeddedDatabase(settings, log, stops));
    await migrate(uri, { logger: log });
    const database = openDatabase(uri, { logger: log, maxConnections: settings.databaseConnections });
    stops.push(() => database.close());
    const secrets = createSecretBox(await loadSecretsKey(settings.home, settings.secretsKey));
    await assertSameSecretsKey(database.sql, secrets);

    const context = { sql: database.sql, secrets, clock, log };
    const { mails, stop: stopMails } = startMails(settings, { ...context, appBaseUrl });
    stops.push(stopMails);

    const outbound = outboundFetch({ networks: settings.integrationNetworks });
    const webhooks = startWebhookDispatcher({ ...context, outbound });
    stops.push(() => webhooks.stop());

    const accountSweep = startAccountSweep({ sql: database.sql, clock, log });
    stops.push(() => accountSweep.stop());
    const replySweep = startReplySweep({ sql: database.sql, clock, log });
    stops.push(() => replySweep.stop());

    const metrics = createMetrics(database, clock, log);
    const work = { executeSync, importConnector };
    const { syncJobs, storeTasks } = startStoreWork(settings, { ...context, database: uri }, metrics, work);
    stops.push(() => storeTasks.stop());
    const deadlineMs = settings.shutdownDeadlineSeconds * 1000;
    stops.push(() => syncJobs.stop(deadlineMs));

    const keyRing = await keyRings(settings, database, secrets, clock);
    const passwords = createPasswords({ cost: settings.bcryptCost, queue: settings.bcryptQueue, log });
    stops.push(() => passwords.close());
    const records = createOpenRecords(
      { store: settings.analyticsUri ?? uri, rulesFile: settings.workUnitRules },
      importConnector,
    );
    stops.push(() => records.close());
    let stopping = false;
    const closing = new AbortController();
    setMaxListeners(0, closing.signal); // each open stream listens
    const dependencies: PlatformDependencies = {
      sql: database.sql,
      settings,
      appBaseUrl,
      clock,
      random: systemRandom,
      log,
      passwords,
      tokens: createTokens({
        keyRing,
        issuer: settings.jwtIssuer,
        audience: settings.jwtAudience,
        clock,
        random: systemRandom,
      }),
      secrets,
      records,
      outbound,
      mails,
      syncJobs,
      storeTasks,
      syncRunEnded: metrics.observeSyncRun,
      streams: countOpen(mostStreams),
      closing: closing.signal,
      keyRing: () => keyRing(false),
      metrics: metrics.text,
      unreadiness: async () => (stopping ? 'The server is shutting down.' : databaseUnreadiness(database)),
    };
    const analytics = await serveAnalytics(settings.analyticsUri ?? uri, dependencies, metrics, importConnector);
    stops.push(() => analytics.close());
    const thresholds = startThresholdEvaluation({
      ...{ sql: database.sql, analytics: analytics.analytics, clock, log },
      isWorking: settings.syncJobs > 0,
      queryTimeoutSeconds: settings.analyticsQueryTimeoutSeconds,
    });
    stops.push(() => thresholds.stop());
    const server = await servePlatform(settings, dependencies, metrics, log, analytics.pages);
    listening = localUrl({ host: settings.host, port: Number(new URL(server.url).port || 80) });
    stops.push(async () => {
      stopping = true;
      const drained = delay(settings.shutdownDrainSeconds * 1000);
      const close = (): Promise<void> => {
        closing.abort();
        return server.stop(deadlineMs);
      };
      // Syncs get the same time as requests. Neither accepts new work from here on.
      await Promise.all([drained.then(close), syncJobs.stop(deadlineMs), storeTasks.stop()]);
    });
    return {
      url: server.url,
      database,
      mails,
      webhooks,
      syncJobs,
      accountSweep,
      replySweep,
      thresholds,
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function embeddedDatabase(settings: PlatformSettings, log: Log, stops: (() => Promise<void>)[]): Promise<string> {
  const embedded = await startEmbeddedPostgres({ home: settings.home, logger: log });
  stops.push(() => embedded.stop());
  return embedded.uri;
}

import { outboundFetch, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { startAccountSweep, type AccountSweep } from '../../identity/accounts/account-sweep.js';
import { startMails, startStoreWork, type StoreWork } from '../background-work.js';
import { createHostApps, type HostApps } from '../../sources/app-installations/host-apps.js';
import {
  createInstallationTokens,
  type InstallationTokens,
} from '../../sources/app-installations/installation-tokens.js';
import type { MailDispatcher } from '../../messages/mail/dispatcher.js';
import { databaseUnreadiness } from '../failures.js';
import { createHealth, startHealthRounds, type Health } from '../operations/health.js';
import { createMetrics, type Metrics } from '../operations/metrics.js';
import { systemRandom } from '../../random.js';
import type { Rounds } from '../rounds.js';
import { retentionOf } from '../../sources/retention/prune.js';
import { startRetention } from '../../sources/retention/retention-rounds.js';
import { startSyncSchedules } from '../../sources/sync-runs/schedules/schedule-rounds.js';
import { startOrganizationRemoval } from '../../tenancy/deletion/organization-removal.js';
import { startWebhookDispatcher, type WebhookDispatcher } from '../../messages/webhooks/dispatcher.js';
import { appBaseUrlOf, deadlineMsOf, type Startup } from './startup.js';
import type { Stores } from './stores.js';

/** The background work of a server, and what it shares with requests. */
export interface Services extends StoreWork {
  readonly mails: MailDispatcher;
  /** Mails get the same time as requests. */
  readonly stopMails: () => Promise<void>;
  readonly outbound: OutboundFetch;
  readonly hostApps: HostApps;
  readonly installationTokens: InstallationTokens;
  readonly webhooks: WebhookDispatcher;
  readonly accountSweep: AccountSweep;
  readonly retention: Rounds;
  readonly organizationRemoval: Rounds;
  readonly syncSchedules: Rounds;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Starts mails, webhooks, sweeps, syncs and tasks of the analytics store. */
export function startServices(startup: Startup, { uri, database, secrets }: Stores): Services {
  const { settings, clock, log, stops } = startup;
  const context = { sql: database.sql, secrets, clock, log };
  const health = createHealth(log);
  health.add('database', () => databaseUnreadiness(database));
  const healthRounds = startHealthRounds(health, log);
  stops.push(() => healthRounds.stop());

  const metrics = createMetrics(database, health, clock, log);

  const mailContext = { ...context, appBaseUrl: appBaseUrlOf(startup) };
  const { mails, stop: stopMails } = startMails(settings, mailContext, metrics);
  const stopMailsInTime = (): Promise<void> => stopMails(deadlineMsOf(startup));
  stops.push(stopMailsInTime);

  const outbound = outboundFetch({ networks: settings.integrationNetworks });
  // The operator has named the hosts, so they may be in any network.
  const hostApps = createHostApps(settings, mailContext.appBaseUrl, outboundFetch('any'), clock);
  const installationTokens = createInstallationTokens(hostApps, context);
  const webhooks = startWebhookDispatcher({ ...mailContext, random: systemRandom, outbound, mails });
  stops.push(() => webhooks.stop());

  const accountSweep = startAccountSweep({ sql: database.sql, clock, log });
  stops.push(() => accountSweep.stop());
  const retention = startRetention({
    sql: database.sql,
    clock,
    log,
    retention: retentionOf(settings),
    recordDays: settings.recordRetentionDays,
  });
  stops.push(() => retention.stop());

  const { syncJobs, storeTasks } = startStoreWork(
    settings,
    { ...context, database: uri, installationTokens },
    metrics,
    startup,
  );
  stops.push(() => storeTasks.stop());
  stops.push(() => syncJobs.stop(deadlineMsOf(startup)));
  const syncSchedules = startSyncSchedules({
    ...{ sql: database.sql, clock, log, syncJobs, observed: metrics.observeSchedule },
    isWorking: settings.syncSchedules,
    runsPerOrganization: settings.syncRunsPerOrganization,
  });
  stops.push(() => syncSchedules.stop());
  const organizationRemoval = startOrganizationRemoval({ sql: database.sql, clock, log, storeTasks });
  stops.push(() => organizationRemoval.stop());
  return {
    mails,
    stopMails: stopMailsInTime,
    outbound,
    hostApps,
    installationTokens,
    webhooks,
    accountSweep,
    retention,
    organizationRemoval,
    syncSchedules,
    health,
    metrics,
    syncJobs,
    storeTasks,
  };
}

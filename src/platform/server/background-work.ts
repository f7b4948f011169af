/** The background work of a server: sending mails, running syncs and deriving work units. */
import { parseAnalyticsUri } from '../../analytics/address.js';
import { serveTokenRequests } from '../identity/auth/serve-token-requests.js';
import type { PlatformDependencies } from '../dependencies.js';
import { startMailDispatcher, type MailDispatcher } from '../messages/mail/dispatcher.js';
import { isTrialMailbox, mailboxFolder } from '../messages/mail/mailbox-folder.js';
import { createMailboxTransport, createSmtpTransport } from '../messages/mail/transport.js';
import type { Metrics } from './operations/metrics.js';
import { systemRandom } from '../random.js';
import { lockDatabaseOf } from '../sources/records/lock-database.js';
import type { PlatformSettings } from './settings.js';
import { executeTaskInProcess, executeTaskInServer } from '../sources/store-tasks/execute-task.js';
import { startStoreTasks, type StoreTasks } from '../sources/store-tasks/store-tasks.js';
import { executeInProcess } from '../sources/sync-runs/jobs/execute-in-process.js';
import { executeInServer } from '../sources/sync-runs/jobs/execute-in-server.js';
import type { StartExecution } from '../sources/sync-runs/jobs/sync-job.js';
import { startSyncJobs, type SyncJobs } from '../sources/sync-runs/jobs/sync-jobs.js';
import { localRootOf } from '../sources/sync-runs/local-root.js';

type Context = Pick<PlatformDependencies, 'sql' | 'secrets' | 'clock' | 'log'>;

/** Starts sending mails, by SMTP or to the mailbox folder. */
export function startMails(
  settings: PlatformSettings,
  context: Context & Pick<PlatformDependencies, 'appBaseUrl'>,
  { observeMail }: Metrics,
): { readonly mails: MailDispatcher; stop(deadlineMs: number): Promise<void> } {
  const { sql, secrets, clock, log, appBaseUrl } = context;
  const isTrial = isTrialMailbox(settings);
  if (settings.mailUrl === null && !isTrial) {
    log.warn({ folder: mailboxFolder(settings) }, 'nobody gets mails: set MAIL_URL, or people cannot verify addresses');
  }
  const transport =
    settings.mailUrl === null
      ? createMailboxTransport(mailboxFolder(settings), settings.mailFrom, log, isTrial)
      : createSmtpTransport(settings.mailUrl, settings.mailFrom);
  const collect = (): Promise<boolean> => serveTokenRequests({ sql, random: systemRandom, secrets, appBaseUrl });
  const mails = startMailDispatcher({ sql, secrets, transport, clock, log, collect, observed: observeMail });
  return {
    mails,
    stop: async (deadlineMs) => {
      await mails.stop(deadlineMs);
      transport.close();
    },
  };
}

export interface StoreWork {
  readonly syncJobs: SyncJobs;
  readonly storeTasks: StoreTasks;
}

/**
 * Starts the work that changes the analytics store: sync runs, and tasks such as assigning teams.
 *
 * @param database the address of the Platform's database, which is the store unless ANALYTICS_URI is set
 */
export function startStoreWork(
  settings: PlatformSettings,
  {
    sql,
    secrets,
    clock,
    log,
    database,
    installationTokens,
  }: Context & Pick<PlatformDependencies, 'installationTokens'> & { readonly database: string },
  { observeSyncRun }: Metrics,
  options: {
    readonly executeSync: StartExecution | undefined;
    readonly importConnector: ((name: string) => Promise<unknown>) | undefined;
  },
): StoreWork {
  const { executeSync, importConnector } = options;
  if (settings.syncLocalRoot !== null && settings.syncLocalOrganizations.length === 0) {
    log.warn({}, 'no organization may read SYNC_LOCAL_ROOT: name them in SYNC_LOCAL_ORGANIZATIONS');
  }
  const store = settings.analyticsUri ?? database;
  // Only one process can open such a store.
  const isEmbedded = settings.analyticsUri !== null && parseAnalyticsUri(settings.analyticsUri).kind === 'chdb';
  const common = { sql, clock, random: systemRandom, log, store, rulesFile: settings.workUnitRules };
  return {
    syncJobs: startSyncJobs({
      ...common,
      ...{ secrets, installationTokens },
      runsPerOrganization: settings.syncRunsPerOrganization,
      execute: executeSync ?? (isEmbedded ? executeInServer(importConnector) : executeInProcess),
      limit: settings.syncJobs,
      database,
      integrationNetworks: settings.integrationNetworks,
      periodDays: settings.syncPeriodDays,
      recordDays: settings.recordRetentionDays,
      mostRequests: settings.syncRunRequests,
      runDeadlineSeconds: settings.syncRunDeadlineSeconds,
      localRootOf: (orgId) => localRootOf(orgId, settings),
      ended: observeSyncRun,
    }),
    storeTasks: startStoreTasks({
      ...common,
      execute: isEmbedded ? executeTaskInServer(importConnector) : executeTaskInProcess,
      isWorking: settings.syncJobs > 0,
      recordDays: settings.recordRetentionDays,
      locks: lockDatabaseOf(store, database),
    }),
  };
}

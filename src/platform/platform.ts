import cors from '@koa/cors';
import type { Middleware } from 'koa';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log, ProblemReply } from '../../generated/contract.js';
import type { PlatformHandlers } from '../../generated/platform/operations.js';
import { routes } from '../../generated/platform/routes.js';
import type { PlatformSecurity } from '../../generated/platform/security.js';
import { serviceUnavailable } from '../../generated/problems.js';
import { parseAnalyticsUri } from '../analytics/address.js';
import { createApplication } from '../contract/application.js';
import { isLoopbackName } from '../contract/local-request.js';
import { createPages } from '../contract/pages.js';
import type { Served } from '../contract/pipeline.js';
import { securityHeaders } from '../contract/security-headers.js';
import { assertListenable, listen, type RunningServer } from '../contract/server.js';
import { openDatabase, type Database } from '../database/connection.js';
import { startEmbeddedPostgres } from '../database/embedded.js';
import { isConnectionFailure, isReadOnly, isStatementTimeout } from '../database/failures.js';
import { migrate } from '../database/migrate.js';
import { outboundFetch } from '../outbound/outbound-fetch.js';
import { SyncError } from '../sync/failures.js';
import { startAccountSweep, type AccountSweep } from './accounts/account-sweep.js';
import { createBearerSecurity, refused } from './accounts/bearer-security.js';
import { serveAnalytics } from './analytics/serve-analytics.js';
import { serveTokenRequests } from './auth/serve-token-requests.js';
import { createConsolePages } from './console/console-pages.js';
import type { PlatformDependencies } from './dependencies.js';
import { platformHandlers } from './handlers.js';
import { createKeyRingCache } from './key-ring-cache.js';
import { startMailDispatcher, type MailDispatcher } from './mail/dispatcher.js';
import { createMailboxPages } from './mail/mailbox-pages.js';
import { createMailboxTransport, createSmtpTransport } from './mail/transport.js';
import { lockDatabaseOf } from './records/lock-database.js';
import { createOpenRecords } from './records/open-records.js';
import { localUrl } from './local-url.js';
import { createMetricsSecurity } from './operations/metrics-security.js';
import { createMetrics, type Metrics } from './operations/metrics.js';
import { createPasswords, PasswordsBusy } from './passwords/passwords.js';
import { createStoredRateLimiter } from './rate-limits/stored-rate-limiter.js';
import { createSecretBox } from './secrets/secret-box.js';
import { assertSameSecretsKey, loadSecretsKey } from './secrets/secrets-key.js';
import { createBrowserSessionAdmission } from './sessions/browser-session-admission.js';
import { SessionEnded } from './sessions/token-pair.js';
import type { PlatformSettings } from './settings.js';
import { executeInProcess } from './sync/jobs/execute-in-process.js';
import { executeInServer } from './sync/jobs/execute-in-server.js';
import type { StartExecution } from './sync/jobs/sync-job.js';
import { startSyncJobs, type SyncJobs } from './sync/jobs/sync-jobs.js';
import { executeTaskInProcess, executeTaskInServer } from './store-tasks/execute-task.js';
import { startStoreTasks } from './store-tasks/store-tasks.js';
import { systemClock, type Clock } from './clock.js';
import { systemRandom } from './random.js';
import { createKeyRing, parseSigningKeys, publicPart, type KeyRing } from './tokens/key-ring.js';
import { loadStoredKeyRing } from './tokens/signing-keys.store.js';
import { createTokens } from './tokens/tokens.js';

export interface RunningPlatform {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly database: Database;
  readonly mails: MailDispatcher;
  readonly syncJobs: SyncJobs;
  readonly accountSweep: AccountSweep;
  /** Finishes what is under way: requests and syncs first, then mails, then the database. */
  stop(): Promise<void>;
}

export interface PlatformOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** How a sync is done; default: in a separate process, or in this one if only one process can open the store. */
  readonly executeSync?: StartExecution;
  /** How optional packages are imported; default: `import()`. */
  readonly importConnector?: (name: string) => Promise<unknown>;
}

/**
 * Starts the Platform: its database (embedded unless the settings name one), the migrations, the server and the mail.
 *
 * @throws SettingError when a setting does not fit the database; otherwise the failure of what could not be started,
 * after everything that had been is stopped again
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

    const transport =
      settings.mailUrl === null
        ? createMailboxTransport(mailboxFolder(settings), settings.mailFrom, log)
        : createSmtpTransport(settings.mailUrl, settings.mailFrom);
    const mails = startMailDispatcher({
      sql: database.sql,
      secrets,
      transport,
      clock,
      log,
      collect: () => serveTokenRequests({ sql: database.sql, random: systemRandom, secrets, appBaseUrl }),
    });
    stops.push(async () => {
      await mails.stop();
      transport.close();
    });

    const accountSweep = startAccountSweep({ sql: database.sql, clock, log });
    stops.push(() => accountSweep.stop());

    const metrics = createMetrics(database, clock, log);
    const syncJobs = startSyncJobs({
      sql: database.sql,
      secrets,
      clock,
      random: systemRandom,
      log,
      execute:
        executeSync ?? (isOfOneProcess(settings.analyticsUri) ? executeInServer(importConnector) : executeInProcess),
      limit: settings.syncJobs,
      store: settings.analyticsUri ?? uri,
      database: uri,
      integrationNetworks: settings.integrationNetworks,
      localRoot: settings.syncLocalRoot,
      rulesFile: settings.workUnitRules,
      ended: metrics.observeSyncRun,
    });
    const storeTasks = startStoreTasks({
      sql: database.sql,
      clock,
      random: systemRandom,
      log,
      execute: isOfOneProcess(settings.analyticsUri) ? executeTaskInServer(importConnector) : executeTaskInProcess,
      isWorking: settings.syncJobs > 0,
      store: settings.analyticsUri ?? uri,
      locks: lockDatabaseOf(settings.analyticsUri ?? uri, uri),
      rulesFile: settings.workUnitRules,
    });
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
      outbound: outboundFetch({ networks: settings.integrationNetworks }),
      mails,
      syncJobs,
      storeTasks,
      syncRunEnded: metrics.observeSyncRun,
      keyRing: () => keyRing(false),
      metrics: metrics.text,
      unreadiness: async () => (stopping ? 'The server is shutting down.' : databaseUnreadiness(database)),
    };
    const analytics = await serveAnalytics(settings.analyticsUri ?? uri, dependencies, metrics, importConnector);
    stops.push(() => analytics.close());
    const server = await serve(settings, dependencies, metrics, log, analytics.middleware);
    listening = localUrl({ host: settings.host, port: Number(new URL(server.url).port || 80) });
    stops.push(async () => {
      stopping = true;
      const drained = delay(settings.shutdownDrainSeconds * 1000);
      // Syncs get the same time as requests; both take up nothing new from here on.
      await Promise.all([drained.then(() => server.stop(deadlineMs)), syncJobs.stop(deadlineMs), storeTasks.stop()]);
    });
    return { url: server.url, database, mails, syncJobs, accountSweep, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Whether a store can be open in one process only. */
function isOfOneProcess(analyticsUri: string | null): boolean {
  return analyticsUri !== null && parseAnalyticsUri(analyticsUri).kind === 'chdb';
}

/**
 * Whether a browser on this machine can read the mails. It cannot if the server has a public address: the server could
 * not distinguish a local browser from a local proxy that adds no header.
 */
function hasMailboxPages({ mailUrl, appBaseUrl }: PlatformSettings): boolean {
  return mailUrl === null && (appBaseUrl === null || isLoopbackName(new URL(appBaseUrl).hostname));
}

function mailboxFolder({ home }: PlatformSettings): string {
  return join(home, 'mailbox');
}

async function embeddedDatabase(settings: PlatformSettings, log: Log, stops: (() => Promise<void>)[]): Promise<string> {
  const embedded = await startEmbeddedPostgres({ home: settings.home, logger: log });
  stops.push(() => embedded.stop());
  return embedded.uri;
}

async function keyRings(
  settings: PlatformSettings,
  database: Database,
  secrets: PlatformDependencies['secrets'],
  clock: Clock,
): Promise<(refresh: boolean) => Promise<KeyRing>> {
  if (settings.jwtPrivateKeys !== null) {
    const [signing, ...others] = await parseSigningKeys(settings.jwtPrivateKeys);
    const ring = await createKeyRing(signing, others.map(publicPart));
    return () => Promise.resolve(ring);
  }
  const load = (): Promise<KeyRing> => loadStoredKeyRing(database.sql, secrets, clock);
  return createKeyRingCache(await load(), load, clock);
}

function serve(
  settings: PlatformSettings,
  dependencies: PlatformDependencies,
  metrics: Metrics,
  log: Log,
  analytics: Middleware,
): Promise<RunningServer> {
  const security: PlatformSecurity = {
    bearer: createBearerSecurity(dependencies),
    metrics: createMetricsSecurity(settings.metricsToken),
  };
  const app = createApplication<PlatformHandlers<PlatformDependencies>, PlatformSecurity, PlatformDependencies>({
    routes,
    handlers: platformHandlers,
    dependencies,
    security,
    admit: createBrowserSessionAdmission(dependencies.appBaseUrl),
    rateLimiter: createStoredRateLimiter(dependencies.sql, settings.rateLimits),
    replyValidation: settings.replyValidation,
    mismatched: (operationId) => {
      metrics.observeMismatch(operationId);
    },
    log,
    trustedProxies: settings.trustedProxies,
    problemOf,
    callerOf: userIdOf,
    served: (served) => {
      metrics.observe(served);
      logServed(served, log);
    },
    headers: securityHeaders,
    before: corsFor(settings.corsOrigins),
    after: [
      analytics,
      ...(hasMailboxPages(settings) ? [createMailboxPages(mailboxFolder(settings))] : []),
      ...(settings.console
        ? [createConsolePages({ folder: consoleFolder, hasMailbox: hasMailboxPages(settings) })]
        : []),
      createPages({
        title: 'Plumbline Platform API',
        openapi: contractFile,
        referenceScript,
        redirects: { '/health': '/health/ready' },
      }),
    ],
  });
  return listen(app.callback(), { host: settings.host, port: settings.port });
}

/** Both the sources and the built tree under `dist/` have `generated/` beside `src/`; the rest is in the built one. */
const contractFile = new URL('../../generated/platform/openapi.json', import.meta.url);
const builtTree = import.meta.url.includes('/dist/src/') ? '../../' : '../../dist/';
const referenceScript = new URL(`${builtTree}docs/redoc.standalone.js`, import.meta.url);
const consoleFolder = new URL(`${builtTree}console/`, import.meta.url);

function corsFor(origins: readonly string[]): Middleware[] {
  if (origins.length === 0) return [];
  const exposeHeaders = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Location'];
  const allowed = (ctx: { get(name: string): string }): string =>
    origins.find((each) => each === ctx.get('Origin')) ?? '';
  return [cors({ origin: allowed, exposeHeaders, maxAge: 600, keepHeadersOnError: true })];
}

const readOnlyReason = 'The database takes no writes at present. Try again soon.';

/** The documented problems of failures that can end any request, whatever its handler does. */
function problemOf(error: unknown): ProblemReply | null {
  if (error instanceof SessionEnded) return refused();
  if (error instanceof PasswordsBusy) {
    return serviceUnavailable({
      message: 'Too many passwords wait to be checked. Try again soon.',
      retry_after_seconds: 5,
    });
  }
  if (isConnectionFailure(error)) {
    return serviceUnavailable({ message: 'The database is out of reach. Try again soon.', retry_after_seconds: 2 });
  }
  if (error instanceof SyncError && error.code === 'database_failed') {
    return serviceUnavailable({
      message: 'The database of the analytics is out of reach. Try again soon.',
      retry_after_seconds: 5,
    });
  }
  if (isReadOnly(error)) {
    return serviceUnavailable({ message: readOnlyReason, retry_after_seconds: 5 });
  }
  if (isStatementTimeout(error)) {
    return serviceUnavailable({ message: 'The database took too long. Try again soon.', retry_after_seconds: 5 });
  }
  return null;
}

async function databaseUnreadiness({ sql }: Database): Promise<string | null> {
  try {
    const [row] = await sql<{ mode: string }[]>`select current_setting('transaction_read_only') as mode`;
    return row?.mode === 'on' ? readOnlyReason : null;
  } catch {
    return 'The database is out of reach.';
  }
}

/** Principals of the Platform are users, but for those who read metrics. */
function userIdOf(principal: unknown): string | null {
  const isUser = typeof principal === 'object' && principal !== null && 'user_id' in principal;
  return isUser && typeof principal.user_id === 'string' ? principal.user_id : null;
}

function logServed(
  { requestId, operationId, method, path, status, durationSeconds, clientIp, caller }: Served,
  log: Log,
): void {
  const fields = {
    request_id: requestId,
    operation: operationId,
    method,
    path,
    status,
    duration_ms: Math.round(durationSeconds * 1e4) / 10,
    client_ip: clientIp,
    user_id: caller,
  };
  log.info(fields, 'request');
}

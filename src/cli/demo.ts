/** `plumbline demo`: creates an organization with synthetic data, and shows a first chart. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Analytics } from '../analytics/analytics.js';
import { openAnalytics } from '../analytics/open.js';
import { openDatabase, type DatabaseSql } from '../database/connection.js';
import { migrate } from '../database/migrate.js';
import { normalizeEmail } from '@plumbline/contract/normalization';
import {
  holdDemoOrganization,
  queueDemoRun,
  readDemoRun,
  type DemoOrganization,
  type DemoRunState,
} from '../platform/figures/demo/demo-organization.store.js';
import { checkPassword } from '../platform/identity/passwords/password-rules.js';
import { createPasswords } from '../platform/identity/passwords/passwords.js';
import { readSettings, type PlatformSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { parseSigningKeys } from '../platform/identity/tokens/key-ring.js';
import { storedKeyIds } from '../platform/identity/tokens/signing-keys.store.js';
import { executeHere } from '../platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../platform/sources/sync-runs/jobs/sync-job.js';
import { workOnRun } from '../platform/sources/sync-runs/jobs/sync-jobs.js';
import type { WorkOptions } from '../platform/sources/sync-runs/jobs/work.js';
import { systemClock } from '../platform/clock.js';
import { systemRandom, type Random } from '../platform/random.js';
import { DEFAULT_DAYS } from '../sync/providers/synthetic/open-synthetic.js';
import { parseConnection } from '../sync/sinks/connection-string.js';
import { systemClock as syncClock } from '../sync/clock.js';
import { systemRandom as syncRandom } from '../sync/random.js';
import { withDatabase } from './database.js';
import { chartStyle, type ChartRow } from './demo-chart.js';
import { findDemoServer } from './demo-server.js';
import { describeDemo, lastDays, type DemoFacts } from './demo-text.js';
import { createLog } from './log.js';

export interface DemoOptions {
  readonly email: string;
  readonly resetPassword: boolean;
}

/** The number of days of the chart, which are those of the console and of `plumbline query`. */
const chartDays = 90;
const pollMs = 200;
/** Maximum wait for another server that has claimed the run. It may have ended; a run takes much less time. */
const patienceMs = 120_000;

/**
 * Creates a verified account with an organization, fills it through the sync engine, and prints how to log in and the
 * result of a first query. Running it again only adds data up to today.
 *
 * @throws SettingError when the address is invalid or belongs to another account, or when syncs cannot write to the
 * store
 */
export async function runDemo(environment: Environment, options: DemoOptions): Promise<void> {
  const settings = readSettings(environment);
  const email = normalizeEmail(options.email);
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new SettingError(`--email ${options.email} is not an e-mail address`);
  const address = settings.analyticsUri === null ? null : parseConnection(settings.analyticsUri);
  if (address !== null && 'problem' in address) {
    throw new SettingError(`The demo data cannot be stored: ANALYTICS_URI ${address.problem}`);
  }
  const log = createLog('warn', 2);
  await withDatabase(settings, log, async (uri) => {
    await migrate(uri, { logger: log });
    const store = settings.analyticsUri ?? uri;
    // Opened first, so that nothing is created if the store cannot be opened.
    const analytics = await openAnalytics(store, { timeoutSeconds: settings.analyticsQueryTimeoutSeconds, log });
    const database = openDatabase(uri, { logger: log });
    try {
      const password = await newPassword(systemRandom);
      const passwords = createPasswords({ cost: settings.bcryptCost, queue: 0, log });
      const passwordHash = await passwords.hash(password).finally(() => passwords.close());
      const account = { email, passwordHash, replaces: options.resetPassword };
      const organization = await holdDemoOrganization(database.sql, account, systemClock.now());
      if (organization === null) {
        throw new SettingError(
          `${email} belongs to an account that is not the demo account. Choose another address with --email`,
        );
      }
      const run = await fill(database.sql, organization, { store, database: uri }, settings.workUnitRules, log);
      const facts: DemoFacts = {
        ...organization,
        email,
        password: organization.existed && !options.resetPassword ? null : password,
        records: run.records,
        range: lastDays(systemClock.now(), DEFAULT_DAYS),
        server: await findDemoServer(settings, await keyIdsOf(database.sql, settings)),
        hasConsole: settings.console,
      };
      const rows = await themesOf(organization.orgId, analytics);
      console.log(describeDemo(facts, rows, chartStyle(process.stdout, environment)));
    } finally {
      await database.close();
      await analytics.close();
    }
  });
}

/** The ids of the signing keys of servers with these settings. */
async function keyIdsOf(sql: DatabaseSql, { jwtPrivateKeys }: PlatformSettings): Promise<ReadonlySet<string>> {
  const configured = jwtPrivateKeys === null ? [] : await parseSigningKeys(jwtPrivateKeys);
  return new Set([...(await storedKeyIds(sql)), ...configured.map(({ kid }) => kid)]);
}

async function newPassword(random: Random): Promise<string> {
  for (;;) {
    const password = random.bytes(15).toString('base64url');
    if ((await checkPassword(password)).length === 0) return password;
  }
}

/** Reads the synthetic repositories in this process, unless a server has already claimed the run. */
async function fill(
  sql: DatabaseSql,
  organization: DemoOrganization,
  { store, database }: Pick<WorkOptions, 'store' | 'database'>,
  rulesFile: string | null,
  log: ReturnType<typeof createLog>,
): Promise<DemoRunState> {
  const runId = await queueDemoRun(sql, organization, systemClock.now());
  const work = await workOnRun(runId, {
    sql,
    clock: systemClock,
    random: systemRandom,
    log,
    execute: executeAloud,
    secrets: noSecrets,
    installationTokens: noInstallations,
    store,
    database,
    integrationNetworks: [],
    periodDays: 0,
    recordDays: null,
    mostRequests: 0,
    runDeadlineSeconds: 3600,
    localRootOf: () => null,
    rulesFile,
  });
  await work?.done;
  const since = Date.now();
  for (;;) {
    const state = await readDemoRun(sql, runId);
    if (state.status === 'complete') return state;
    const isUnderWay = state.status === 'pending' || state.status === 'running';
    if (!isUnderWay || Date.now() - since > patienceMs) {
      throw new Error(`The demo data could not be read: ${state.error ?? `the run is ${state.status}`}`);
    }
    await sleep(pollMs);
  }
}

/** Synthetic data needs no credential. */
const noSecrets = {
  open: (): string => {
    throw new Error('The demo has no secrets');
  },
};

const noInstallations = { fresh: () => Promise.reject(new Error('The demo has no installations')) };

/** Syncs in this process, and shows progress on a terminal. */
const executeAloud: StartExecution = (job, report) => {
  const { stderr } = process;
  const show = (text: string): void => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${text}`);
  };
  show('Generating data ...');
  const execution = executeHere(
    job,
    {
      step: report.step,
      note: report.note,
      freshToken: report.freshToken,
      progress: (progress) => {
        report.progress(progress);
        const { repositories_done: done, repositories_total: total, records } = progress;
        show(`Generating data: ${done} of ${total} repositories, ${records.toLocaleString('en-US')} records`);
      },
    },
    {
      ...syncClock,
      ...syncRandom,
      environment: process.env,
    },
  );
  void execution.ended.then(() => {
    show('');
  });
  return execution;
};

async function themesOf(orgId: string, analytics: Analytics): Promise<ChartRow[]> {
  const dateRange = lastDays(systemClock.now(), chartDays);
  const breakdown = { dimension: 'THEME', measure: 'COUNT', dateRange, topN: 10 } as const;
  const batch = {
    timeseries: [],
    breakdowns: [breakdown],
    sankey: null,
    useInvestment: true,
    scope: { level: 'ORG', ids: [] },
  } as const;
  const { breakdowns } = await analytics.run(orgId, batch, new AbortController().signal);
  return (breakdowns[0]?.items ?? []).map(({ key, value }) => ({ label: key, value }));
}

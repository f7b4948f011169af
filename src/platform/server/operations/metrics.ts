import type { EventEmitter } from 'node:events';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '@plumbline/contract/contract-types';
import type { Answered } from '../../../analytics/graphql/graphql-routes.js';
import type { Served } from '@plumbline/contract/served';
import type { EndedRun } from '../../sources/sync-runs/jobs/sync-job.js';
import type { ScheduledStart } from '../../sources/sync-runs/schedules/schedules.store.js';
import type { Clock } from '../../clock.js';
import type { Database } from '../../../database/connection.js';
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { mailOutcomes, type MailOutcome } from '../../messages/mail/dispatcher.js';
import { registerHealthMetrics } from './health-metrics.js';
import type { Health } from './health.js';
import { registerStoredMetrics } from './stored-metrics.js';

export interface Metrics {
  /** Counts a request until its reply ends. */
  countInFlight(response: Pick<EventEmitter, 'once'>): void;
  observe(served: Served): void;
  /** Counts a reply that violates the contract. */
  observeMismatch(operationId: string): void;
  /** Counts a query of the Analytics API. */
  observeQuery(answered: Answered): void;
  /** Counts an attempt to deliver a mail. */
  observeMail(outcome: MailOutcome): void;
  /** Counts a configuration that was due by its schedule. */
  observeSchedule(outcome: ScheduledStart['outcome']): void;
  /** Counts a sync run that this server has ended. */
  observeSyncRun(ended: EndedRun): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** The metrics of one server: process, requests by operation, queries of the Analytics API, sync runs, database, analytics store. */
export function createMetrics(database: Database, health: Health, clock: Clock, log: Log): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // These gauges have the suffix of counters, which promtool rejects. Their values are the sums of
  // `nodejs_active_handles` and similar metrics.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply.',
    // The operation instead of the path, so that the number of label values is bounded.
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const mismatches = new Counter({
    name: 'plumbline_reply_mismatch_total',
    help: 'Replies that violated the contract, among those that REPLY_VALIDATION=sampled validates.',
    labelNames: ['operation'],
    registers: [registry],
  });
  const queries = new Histogram({
    name: 'graphql_query_duration_seconds',
    help: 'Time of a query of the Analytics API, by the code of its first error and the id of a persisted query.',
    labelNames: ['outcome', 'persisted_id'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const syncRuns = new Histogram({
    name: 'sync_run_duration_seconds',
    help: 'Time from the first work on a sync run to its end, waits between attempts included; 0 if there was none.',
    labelNames: ['provider', 'status'],
    buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400],
    registers: [registry],
  });
  const schedules = new Counter({
    name: 'plumbline_sync_schedules_total',
    help: 'Sync configurations that were due by their schedule: started, skipped while a run is pending or running, postponed because the organization has the maximum number of runs, corrected after a clock was set back.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const mails = new Counter({
    name: 'plumbline_mail_attempts_total',
    help: 'Attempts of this server to deliver a mail: sent, deferred, refused by the mail server for good, dropped after the last attempt.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0); // so that the first one is an increase
  const loginFailures = new Counter({
    name: 'plumbline_login_failures_total',
    help: 'Logins that were refused because of a wrong password or an unknown e-mail address.',
    registers: [registry],
  });
  new Gauge({
    name: 'plumbline_build_info',
    help: 'Always 1; the labels have the versions of Plumbline and Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: releaseVersion(), node: process.versions.node }, 1);
  new Gauge({
    name: 'plumbline_database_transactions',
    help: 'Transactions of this server that run, and that wait for a connection.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { running, waiting } = database.transactions();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'plumbline_database_transactions_limit',
    help: 'Transactions that this server can run at a time: half of DATABASE_CONNECTIONS.',
    registers: [registry],
  }).set(database.transactions().limit);
  const inFlight = new Gauge({
    name: 'plumbline_requests_in_flight',
    help: 'Requests that this server works on, with open streams.',
    registers: [registry],
  });
  const refreshHealth = registerHealthMetrics(registry, database, health);
  const refreshStored = registerStoredMetrics(registry, database, clock, log);
  return {
    countInFlight: (response) => {
      inFlight.inc();
      response.once('close', () => {
        inFlight.dec();
      });
    },
    observe: ({ operationId, method, status, durationSeconds }) => {
      requests.observe({ operation: operationId ?? 'none', method, status }, durationSeconds);
      if (operationId === 'login' && status === 401) loginFailures.inc();
    },
    observeMismatch: (operation) => {
      mismatches.inc({ operation });
    },
    observeQuery: ({ outcome, persistedId, durationSeconds }) => {
      queries.observe({ outcome, persisted_id: persistedId ?? 'none' }, durationSeconds);
    },
    observeMail: (outcome) => {
      mails.inc({ outcome });
    },
    observeSchedule: (outcome) => {
      schedules.inc({ outcome });
    },
    observeSyncRun: ({ provider, status, durationSeconds }) => {
      syncRuns.observe({ provider, status }, durationSeconds);
    },
    text: async () => {
      await Promise.all([refreshHealth(), refreshStored()]);
      return registry.metrics();
    },
  };
}

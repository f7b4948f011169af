import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../../../generated/contract.js';
import type { Answered } from '../../analytics/graphql/graphql-routes.js';
import type { Served } from '../../contract/pipeline.js';
import type { EndedRun } from '../sync/jobs/sync-job.js';
import type { ActiveRuns } from '../sync/sync-runs.store.js';

export interface Metrics {
  observe(served: Served): void;
  /** Counts a reply that is not what the contract says. */
  observeMismatch(operationId: string): void;
  /** Counts a query of the Analytics API. */
  observeQuery(answered: Answered): void;
  /** Counts a sync run that this server has ended. */
  observeSyncRun(ended: EndedRun): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/**
 * The metrics of one server: its process, its requests by operation, the queries of the Analytics API and the sync runs.
 *
 * @param activeSyncRuns counts the runs that have not ended, in the database: whatever keeps it from that goes to the
 * log, since metrics are what one looks at when something is wrong
 */
export function createMetrics(activeSyncRuns: () => Promise<ActiveRuns>, log: Log): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply.',
    // The operation, never the path: a label must not take as many values as there are URLs.
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const mismatches = new Counter({
    name: 'plumbline_reply_mismatch_total',
    help: 'Replies that were not what the contract says, among those that REPLY_VALIDATION=sampled looks at.',
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
  new Gauge({
    name: 'sync_runs',
    help: 'Sync runs that wait and that are worked on, by all servers; left out while the database does not answer.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      this.reset();
      try {
        const { pending, running } = await activeSyncRuns();
        this.set({ status: 'pending' }, pending);
        this.set({ status: 'running' }, running);
      } catch (error) {
        log.warn({ err: error }, 'the sync runs cannot be counted for the metrics now');
      }
    },
  });
  return {
    observe: ({ operationId, method, status, durationSeconds }) => {
      requests.observe({ operation: operationId ?? 'none', method, status }, durationSeconds);
    },
    observeMismatch: (operation) => {
      mismatches.inc({ operation });
    },
    observeQuery: ({ outcome, persistedId, durationSeconds }) => {
      queries.observe({ outcome, persisted_id: persistedId ?? 'none' }, durationSeconds);
    },
    observeSyncRun: ({ provider, status, durationSeconds }) => {
      syncRuns.observe({ provider, status }, durationSeconds);
    },
    text: () => registry.metrics(),
  };
}

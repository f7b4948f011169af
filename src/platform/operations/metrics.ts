import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Answered } from '../../analytics/graphql/graphql-routes.js';
import type { Served } from '../../contract/pipeline.js';

export interface Metrics {
  observe(served: Served): void;
  /** Counts a query of the Analytics API. */
  observeQuery(answered: Answered): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** The metrics of one server: its process, and its requests by operation. */
export function createMetrics(): Metrics {
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
  const queries = new Histogram({
    name: 'graphql_query_duration_seconds',
    help: 'Time of a query of the Analytics API, by the code of its first error and the id of a persisted query.',
    labelNames: ['outcome', 'persisted_id'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    observe: ({ operationId, method, status, durationSeconds }) => {
      requests.observe({ operation: operationId ?? 'none', method, status }, durationSeconds);
    },
    observeQuery: ({ outcome, persistedId, durationSeconds }) => {
      queries.observe({ outcome, persisted_id: persistedId ?? 'none' }, durationSeconds);
    },
    text: () => registry.metrics(),
  };
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Served } from '@plumbline/contract/served';
import type { Clock } from '../runtime/clock.js';
import { isRuntimeError } from '../runtime/errors.js';
import type { Runtime } from '../runtime/runtime.js';

export interface ComposeMetrics {
  observe(served: Served): void;
  /** Counts a reply that does not match the contract. */
  observeMismatch(operationId: string): void;
  /** Counts a stream as open until the returned function is called. */
  streamOpened(): () => void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** The metrics of one server. */
export function createComposeMetrics(backend: Runtime, clock: Clock, startedAt: Date): ComposeMetrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'plumbline_compose_uptime_seconds',
    help: 'Seconds since the server started.',
    registers,
    collect() {
      this.set((clock.now().getTime() - startedAt.getTime()) / 1000);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of this process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'plumbline_compose_backend_up',
    help: 'Whether the backend responds.',
    registers,
    async collect() {
      this.set((await answers(backend)) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'plumbline_compose_containers',
    help: 'Containers by status; absent while the backend does not respond.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset();
      try {
        for (const { status } of await backend.containers.list()) this.inc({ status });
      } catch (error) {
        if (!isRuntimeError(error)) throw error;
      }
    },
  });
  const mismatches = new Counter({
    name: 'plumbline_reply_mismatch_total',
    help: 'Sampled replies that did not match the contract.',
    labelNames: ['operation'],
    registers,
  });
  const streams = new Gauge({ name: 'plumbline_compose_open_streams', help: 'Streams being sent.', registers });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply.',
    // The operation and not the path, because a label needs a bounded number of values.
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
    registers,
  });
  return {
    observe: ({ operationId, method, status, durationSeconds }) => {
      requests.observe({ operation: operationId ?? 'none', method, status }, durationSeconds);
    },
    observeMismatch: (operation) => {
      mismatches.inc({ operation });
    },
    streamOpened() {
      streams.inc();
      return () => {
        streams.dec();
      };
    },
    text: () => registry.metrics(),
  };
}

async function answers(backend: Runtime): Promise<boolean> {
  try {
    await backend.system.ping();
    return true;
  } catch (error) {
    if (isRuntimeError(error)) return false;
    throw error;
  }
}

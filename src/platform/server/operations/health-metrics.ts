/** Metrics of the services that a server needs. */
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../database/connection.js';
import type { Health } from './health.js';

/** Registers the gauges. @returns a function that asks the services and sets the gauges; call it before each scrape */
export function registerHealthMetrics(
  registry: Registry,
  { shortages }: Database,
  health: Health,
): () => Promise<void> {
  const analyticsUp = new Gauge({
    name: 'plumbline_analytics_up',
    help: 'Whether the analytics store of ANALYTICS_URI answered this scrape within 2 s: 1 or 0.',
    registers: [registry],
  });
  const shortage = new Gauge({
    name: 'plumbline_database_shortage',
    help: 'Always 1; the label has the resource that the database server lacks, as PostgreSQL names it.',
    labelNames: ['resource'],
    registers: [registry],
  });
  return async () => {
    const reasons = await health.check();
    analyticsUp.remove();
    const reason = reasons.get('analytics store');
    if (reason !== undefined) analyticsUp.set(reason === null ? 1 : 0);
    shortage.reset();
    const current = shortages.current();
    if (current !== null) shortage.set({ resource: current.name }, 1);
  };
}

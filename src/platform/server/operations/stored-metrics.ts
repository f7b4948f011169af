/** Metrics that all servers share. They are read from the database at each scrape. */
import { Gauge, type Registry } from 'prom-client';
import type { Log } from '@plumbline/contract/contract-types';
import type { Database } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { isDue, joinFailures } from '../../sources/sync-runs/schedules/schedules.store.js';
import { within } from '../../within.js';
import { answerLimitMs } from './health.js';

interface Counts {
  readonly pending_runs: number;
  readonly running_runs: number;
  readonly oldest_run: number;
  readonly due_schedules: number;
  readonly waiting_mails: number;
  readonly failed_mails: number;
  readonly oldest_mail: number;
  readonly waiting_deliveries: number;
  readonly oldest_delivery: number;
  readonly tasks: number;
  readonly waiting_records: number;
  readonly refused_records: number;
  readonly locked: number;
}

/**
 * Registers the gauges. If the database does not answer, they have no values, and the reason is logged. A scrape must
 * not fail, because metrics are needed most during a failure.
 *
 * @returns a function that sets the gauges with one statement; call it before each scrape
 */
export function registerStoredMetrics(
  registry: Registry,
  { sql }: Database,
  clock: Clock,
  log: Log,
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name, help: `${help} The same on all servers.`, labelNames, registers: [registry] });
  const runs = gauge('sync_runs', 'Sync runs that wait and that are worked on.', ['status']);
  const oldestRun = gauge(
    'plumbline_sync_run_oldest_pending_seconds',
    'Age of the oldest sync run that waits; 0: none.',
  );
  const dueSchedules = gauge(
    'plumbline_sync_schedules_due',
    'Sync configurations whose schedule has come and whose run is not queued yet.',
  );
  const mails = gauge(
    'plumbline_mail_outbox',
    'Mails that wait to be sent, and that failed: they were given up or refused.',
    ['state'],
  );
  const oldestMail = gauge('plumbline_mail_outbox_oldest_seconds', 'Age of the oldest mail that waits; 0: none.');
  const deliveries = gauge('plumbline_webhook_deliveries_waiting', 'Deliveries to webhooks that wait.');
  const oldestDelivery = gauge(
    'plumbline_webhook_deliveries_oldest_seconds',
    'For how long the oldest delivery to an active webhook has been due; 0: none.',
  );
  const tasks = gauge('plumbline_store_tasks', 'Background tasks on the analytics store that wait or run.');
  const pushed = gauge(
    'plumbline_pushed_records',
    'Pushed records that wait to be stored, and that could not be: they are kept for 30 days.',
    ['state'],
  );
  const locked = gauge('plumbline_login_lockouts', 'E-mail addresses that are locked after failed logins.');

  const read = async (): Promise<Counts | undefined> => {
    const now = clock.now();
    const [counts] = await sql<Counts[]>`
      select runs.*, mails.*, deliveries.*, pushed.*, (select count(*)::int from store_tasks) as tasks,
        (select count(*)::int from sync_configs c ${joinFailures(sql)} where ${isDue(sql, now)}) as due_schedules,
        (select count(*)::int from login_failures where locked_until > ${now}) as locked
      from (select coalesce(sum(records) filter (where refusal is null), 0)::float as waiting_records,
          coalesce(sum(records) filter (where refusal is not null), 0)::float as refused_records
        from pushed_records) as pushed,
      (select count(*) filter (where status = 'pending')::int as pending_runs,
          count(*) filter (where status = 'running')::int as running_runs,
          coalesce(extract(epoch from ${now} - min(created_at) filter (where status = 'pending')), 0)::float as oldest_run
        from sync_runs where status in ('pending', 'running')) as runs,
      (select count(*) filter (where failed_at is null)::int as waiting_mails,
          count(failed_at)::int as failed_mails,
          coalesce(extract(epoch from ${now} - min(created_at) filter (where failed_at is null)), 0)::float as oldest_mail
        from outgoing_mails) as mails,
      (select count(*)::int as waiting_deliveries,
          coalesce(extract(epoch from ${now} - min(available_at) filter (where w.is_active)), 0)::float
            as oldest_delivery
        from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.failed_at is null) as deliveries`;
    return counts;
  };
  const up = new Gauge({
    name: 'plumbline_database_up',
    help: 'Whether the database answered this scrape within 2 s: 1 or 0.',
    registers: [registry],
  });
  return async () => {
    const counts = await within(answerLimitMs, read()).catch((error: unknown) => {
      log.warn({ err: error }, 'sync runs, mails, deliveries and lockouts cannot be counted for the metrics now');
      return undefined;
    });
    for (const each of [
      runs,
      oldestRun,
      dueSchedules,
      mails,
      oldestMail,
      deliveries,
      oldestDelivery,
      tasks,
      pushed,
      locked,
    ])
      each.reset();
    up.set(counts === undefined ? 0 : 1);
    if (counts === undefined) {
      for (const each of [oldestRun, dueSchedules, oldestMail, deliveries, oldestDelivery, tasks, locked])
        each.remove();
      return;
    }
    runs.set({ status: 'pending' }, counts.pending_runs);
    runs.set({ status: 'running' }, counts.running_runs);
    oldestRun.set(Math.max(0, counts.oldest_run));
    dueSchedules.set(counts.due_schedules);
    mails.set({ state: 'waiting' }, counts.waiting_mails);
    mails.set({ state: 'failed' }, counts.failed_mails);
    oldestMail.set(Math.max(0, counts.oldest_mail));
    deliveries.set(counts.waiting_deliveries);
    oldestDelivery.set(Math.max(0, counts.oldest_delivery));
    tasks.set(counts.tasks);
    pushed.set({ state: 'waiting' }, counts.waiting_records);
    pushed.set({ state: 'refused' }, counts.refused_records);
    locked.set(counts.locked);
  };
}

import type { Log } from '@plumbline/contract/contract-types';
import type { Analytics, DateRange } from '../../../analytics/analytics.js';
import { timeZoneOf } from '../../../analytics/time-zone.js';
import type { UnitRecords } from '../../../analytics/unit-records.js';
import type { DatabaseSql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import { startConcurrentRounds } from '../../server/concurrent-rounds.js';
import type { Rounds } from '../../server/rounds.js';
import { recordEvent } from '../../messages/webhooks/record-event.js';
import { measure, windowOf } from './measure.js';
import {
  definitionOf,
  giveUpEvaluation,
  storeEvaluation,
  takeDueThresholds,
  type DueThreshold,
} from './thresholds.store.js';

export interface EvaluationOptions {
  readonly sql: DatabaseSql;
  readonly analytics: Pick<Analytics, 'run'>;
  readonly unitRecords: Pick<UnitRecords, 'calendar'>;
  readonly clock: Clock;
  readonly log: Log;
  /** False: this server evaluates none. */
  readonly isWorking: boolean;
  /** Seconds that a query of the analytics may take. */
  readonly queryTimeoutSeconds: number;
}

const pollMs = 2000;
/** Each of another organization. They share the connections of the analytics with requests. */
const mostInFlight = 2;
/** The time to store an evaluation, besides that of its query. A failed evaluation is repeated after both. */
const marginSeconds = 90;
/** The next sync run asks again. */
const maxAttempts = 3;

/** Starts the evaluation of thresholds after sync runs, in the background. */
export function startThresholdEvaluation(options: EvaluationOptions): Rounds {
  const { sql, clock, log, isWorking, queryTimeoutSeconds } = options;
  const limits = { leaseSeconds: queryTimeoutSeconds + marginSeconds, maxAttempts };
  return startConcurrentRounds<DueThreshold>({
    pollMs,
    most: isWorking ? mostInFlight : 0,
    take: (count, inFlight) => takeDueThresholds(sql, clock.now(), inFlight, { ...limits, count }),
    perform: (due, signal) => evaluate(due, options, signal),
    notTaken: (error) => {
      log.warn({ err: error }, 'the thresholds cannot be read; will retry');
    },
    notPerformed: (error) => {
      log.warn({ err: error }, 'the outcome of an evaluation cannot be stored; it becomes due again');
    },
  });
}

async function evaluate(due: DueThreshold, options: EvaluationOptions, signal: AbortSignal): Promise<void> {
  const { sql, analytics, unitRecords, clock, log } = options;
  const definition = definitionOf(due);
  let days: DateRange;
  let value: number | null;
  try {
    const { timeZone } = await unitRecords.calendar(due.org_id);
    days = windowOf(definition, timeZoneOf(timeZone).dayOf(clock.now().getTime()));
    value = await measure(analytics, due.org_id, definition, days, signal);
  } catch (error) {
    if (signal.aborted) return; // this server stops; another one evaluates it when the lease has ended
    const gaveUp = due.attempts >= maxAttempts;
    if (gaveUp) await giveUpEvaluation(sql, due);
    const fields = { err: error, org_id: due.org_id, threshold_id: due.id };
    log.warn(fields, `a threshold cannot be evaluated; will retry ${gaveUp ? 'after the next sync run' : 'soon'}`);
    return;
  }
  const isCrossed =
    value !== null && (definition.direction === 'above' ? value > definition.value : value < definition.value);
  const now = clock.now();
  await sql.begin(async (transaction) => {
    const isNew = await storeEvaluation(transaction, due, { value, isCrossed }, now);
    if (!isNew || value === null) return;
    const data = {
      threshold_id: due.id,
      name: due.name,
      measure: definition.measure,
      direction: definition.direction,
      threshold: definition.value,
      value,
      start_date: days.startDate,
      end_date: days.endDate,
    };
    const event = { type: 'analytics.threshold_crossed', orgId: due.org_id, subject: `threshold ${due.id}` } as const;
    await recordEvent(transaction, { ...event, data }, now);
  });
}

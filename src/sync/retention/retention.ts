/**
 * Removes records that ended before a period, with their work units. RETENTION.md says which ones, and why figures stay
 * true.
 *
 * The units of a repository are at any time those that its stored records give, so that no later derivation changes a
 * figure. Old records that units of the period depend on therefore stay. Units are removed first and records last: a run
 * that is killed finds again what it has not completed.
 */
import { dayNumber, dayText } from '../../analytics/planner/buckets.js';
import { timeZoneOf } from '../../analytics/time-zone.js';
import { ifIdle, latestSource } from '../repository-locks.js';
import { storedCalendar } from '../work-units/stored-calendar.js';
import type { RemovableTable } from './kinds.js';
import { RepositoryRetention, type RetainedDatabase, type RetentionOptions } from './repository-retention.js';
import { readRetention } from './state.js';

/** What was removed from the records of an organization. */
export interface RemovedRecords {
  /** The number of records by table; what goes with them, such as the files of commits, is not counted. */
  readonly records: Readonly<Partial<Record<RemovableTable, number>>>;
  /** The names of repositories that were left alone, because a sync or another change holds them. */
  readonly busy: readonly string[];
  /** False: time was up. */
  readonly isComplete: boolean;
}

/** Removes the old records of an organization. If it is interrupted, the next call completes it. */
export async function removeOldRecords(database: RetainedDatabase, options: RetentionOptions): Promise<RemovedRecords> {
  const { orgId, sink, resources, dependencies } = database;
  const before = await horizon(database, options.days);
  const records: Partial<Record<RemovableTable, number>> = {};
  const busy: string[] = [];
  let isComplete = true;
  for (const { id, name } of await sink.repositories(orgId)) {
    dependencies.signal.throwIfAborted();
    const source = await latestSource(sink, id);
    if (source === undefined) continue;
    if (options.isTimeUp !== undefined && (await readRetention(sink, id)).examined === before) continue;
    const remove = (assertHeld: () => Promise<void>): Promise<boolean> =>
      new RepositoryRetention(database, id, before, options, records, assertHeld).run();
    const isDone =
      options.dryRun === true
        ? await remove(() => Promise.resolve())
        : await ifIdle(sink, { repoId: id, source }, dependencies, remove);
    if (isDone === undefined) busy.push(name);
    if (isDone === false) {
      isComplete = false;
      break;
    }
  }
  if (Object.keys(records).length > 0 && options.dryRun !== true) await resources?.store.settle?.();
  return { records, busy, isComplete };
}

/** The start of the first day of the period, in the time zone of the organization. Epoch milliseconds. */
async function horizon({ resources, dependencies }: RetainedDatabase, days: number): Promise<number> {
  const zone = timeZoneOf(resources === undefined ? 'UTC' : (await storedCalendar(resources)).timeZone);
  return zone.startOf(dayText(dayNumber(zone.dayOf(dependencies.now())) - days));
}

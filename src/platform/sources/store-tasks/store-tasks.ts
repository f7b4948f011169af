import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../database/connection.js';
import type { StoredRecords } from '../records/stored-records.js';
import { nextAttempt, type Backoff, type Clock } from '../../clock.js';
import type { Random } from '../../random.js';
import { completePushes, oldestPushes } from '../pushed-records/pushed-records.store.js';
import { storeRecordPrune } from '../retention/record-prunes.store.js';
import type { ExecuteTask, TaskExecution } from './execute-task.js';
import { putTaskBack, storeTaskDone, storeTaskHeartbeat, takeDueTask, type TakenTask } from './store-tasks.store.js';

/** Runs the tasks of the queue, one at a time, in the background. */
export interface StoreTasks {
  /** Wakes the worker. Call it after a transaction that added a task. */
  wake(): void;
  /** Stops taking tasks, and puts the current one back. */
  stop(): Promise<void>;
}

export interface StoreTasksOptions extends StoredRecords {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly execute: ExecuteTask;
  /** Connection string of the PostgreSQL that holds repository locks; null: the store has its own locks. */
  readonly locks: string | null;
  /** False: this server takes no tasks. */
  readonly isWorking: boolean;
  /** Days before today of which records are kept; null: all. */
  readonly recordDays: number | null;
}

const pollMs = 2000;
const heartbeatMs = 2000;
/** Many heartbeats, so that a slow database does not make a worker look dead. */
const silenceSeconds = 30;
const backoff: Backoff = { first: 5, longest: 900 };
/** Pushed records do not wait longer while old records are removed. */
const pruneSeconds = 30;
/** Bounds the memory of a task. */
const pushedAtOnce = { records: 5000, bytes: 8 * 1024 * 1024 };

/** Starts taking tasks. Several servers can work on one database. */
export function startStoreTasks(options: StoreTasksOptions): StoreTasks {
  const { sql, clock, random, log } = options;
  let isStopped = !options.isWorking;
  let working: Promise<void> | null = null;
  let execution: TaskExecution | null = null;
  let isAsked = false;

  const work = async (): Promise<void> => {
    try {
      while (isAsked && !isStopped) {
        isAsked = false;
        const worker = random.uuid();
        const task = await takeDueTask(sql, worker, clock.now(), silenceSeconds);
        if (task === null) continue;
        isAsked = true; // there may be another task
        await doTask(task, worker);
      }
    } finally {
      working = null; // synchronously after the last check of `isAsked`, so that no request is missed
    }
  };

  const doTask = async (task: TakenTask, worker: string): Promise<void> => {
    const { store, rulesFile, locks, recordDays } = options;
    const fields = { org_id: task.org_id, task: task.kind, attempt: task.attempts };
    const pushes = task.kind === 'store_pushed_records' ? await oldestPushes(sql, task.org_id, pushedAtOnce) : [];
    const current = options.execute({
      ...{ kind: task.kind, orgId: task.org_id, store, rulesFile, locks, pushes },
      ...(recordDays !== null && { retention: { days: recordDays, dryRun: false, seconds: pruneSeconds } }),
    });
    execution = current;
    const heart = setInterval(() => {
      storeTaskHeartbeat(sql, task, worker, clock.now()).then(
        (isOurs) => {
          if (!isOurs) current.kill();
        },
        (error: unknown) => {
          log.warn({ ...fields, err: error }, 'the heartbeat of a store task cannot be stored; will retry');
        },
      );
    }, heartbeatMs);
    const { error, pushes: ended, removed } = await current.ended;
    clearInterval(heart);
    execution = null;
    if (ended !== undefined) await completePushes(sql, task.org_id, ended, clock.now());
    for (const { id, reason } of ended?.refused ?? []) {
      log.error({ ...fields, push_id: id, error: reason }, 'the records of a push cannot be stored');
    }
    if (removed !== undefined && Object.keys(removed.records).length > 0)
      log.info({ ...fields, deleted: removed.records }, 'old records deleted');
    if (removed?.isComplete === false) {
      // Behind all tasks that are due.
      await putTaskBack(sql, task, worker, { availableAt: clock.now(), error: null });
      return;
    }
    if (removed?.busy.length === 0) await storeRecordPrune(sql, task.org_id, clock.now());
    if (error === null) {
      await storeTaskDone(sql, task, worker, clock.now());
      log.info(fields, 'store task done');
      return;
    }
    const now = clock.now();
    if (isStopped) {
      await putTaskBack(sql, task, worker, { availableAt: now, error: null });
      return;
    }
    await putTaskBack(sql, task, worker, { availableAt: nextAttempt(now, task.attempts, backoff), error });
    log.warn({ ...fields, error }, 'store task failed; will retry');
  };

  const attempt = (): void => {
    if (isStopped) return;
    isAsked = true;
    working ??= work().catch((error: unknown) => {
      log.warn({ err: error }, 'the store tasks cannot be read or stored; will retry');
    });
  };
  const timer = setInterval(attempt, pollMs);
  timer.unref();
  attempt();

  return {
    wake: () => setImmediate(attempt),
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      execution?.kill();
      await working;
    },
  };
}

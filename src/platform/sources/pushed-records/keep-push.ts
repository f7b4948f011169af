import type { PushRecordsHandler } from '../../../../generated/platform/operations.js';
import { tooManyPushes, type DeletionPending, type TooManyPushes } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refusalWhileMarked } from '../../tenancy/deletion/deletions.store.js';
import { requestTaskAgain } from '../store-tasks/store-tasks.store.js';
import { insertPush, lockWaiting, type Waiting } from './pushed-records.store.js';
import type { PushedContent } from './pushed-rows.js';

/** Bounds the memory and the disk that waiting records need while their database is out of reach. */
const most: Waiting = { records: 100_000, bytes: 64 * 1024 * 1024 };

export interface Push {
  readonly content: PushedContent;
  /** The number of records; at least 1. */
  readonly records: number;
  /** For the audit log. */
  readonly note: string;
}

type PushRequest = Parameters<PushRecordsHandler<PlatformDependencies>>[0];

/** Keeps a push until a store task has stored it. @returns the refusal; null: it is kept */
export async function keepPush(
  { sql, clock, storeTasks }: PlatformDependencies,
  { principal, context }: Pick<PushRequest, 'principal' | 'context'>,
  { content, records, note }: Push,
): Promise<TooManyPushes | DeletionPending | null> {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const refusal = await sql.begin(async (transaction) => {
    const pending = await refusalWhileMarked(transaction, orgId);
    if (pending !== null) return pending;
    const waiting = await lockWaiting(transaction, orgId);
    if (waiting.records + records > most.records || waiting.bytes >= most.bytes) {
      const [waits, bound] = [waiting, most].map(({ records: count, bytes }) => `${count} records of ${bytes} bytes`);
      return tooManyPushes({
        message: `${waits} wait to be stored; the maximum is ${bound}. Push again when fewer wait.`,
      });
    }
    await insertPush(transaction, { orgId, content, records }, now);
    await requestTaskAgain(transaction, orgId, 'store_pushed_records', now);
    const record = { action: 'RECORDS_PUSHED', resourceKind: 'RECORD', orgId, note, ...actorOf(principal) } as const;
    await recordAudit(transaction, context, now, record);
    return null;
  });
  if (refusal === null) storeTasks.wake();
  return refusal;
}

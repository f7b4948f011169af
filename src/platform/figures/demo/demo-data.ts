import type {
  CreateDemoDataHandler,
  CreateDemoDataReply,
  GetDemoDataHandler,
  RemoveDemoDataHandler,
} from '../../../../generated/platform/operations.js';
import { demoDataRemovalActive } from '../../../../generated/problems.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { refusalWhileMarked } from '../../tenancy/deletion/deletions.store.js';
import { dropDemoData, fillDemoData, readDemoData } from './demo-data.store.js';

export const getDemoData: GetDemoDataHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: await readDemoData(sql, principal.org_id),
});

export const createDemoData: CreateDemoDataHandler<PlatformDependencies> = async (
  { principal, context },
  { sql, clock, syncJobs },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const reply = await sql.begin(async (transaction): Promise<CreateDemoDataReply> => {
    const pending = await refusalWhileMarked(transaction, orgId);
    if (pending !== null) return pending;
    const fill = await fillDemoData(transaction, { orgId, userId }, now);
    if (fill === null) {
      return demoDataRemovalActive({ message: 'The demo data are being removed. Try again in a few seconds.' });
    }
    const { configId, runId, isNew } = fill;
    if (isNew) {
      const record = { action: 'CREATE', resourceKind: 'DEMO_DATA', resourceId: configId, orgId, userId } as const;
      await recordAudit(transaction, context, now, record);
    }
    const location = `/api/v1/admin/sync-configs/${configId}/runs/${runId}`;
    return { status: 202, headers: { Location: location }, body: await readDemoData(transaction, orgId) };
  });
  if (reply.status === 202) syncJobs.wake();
  return reply;
};

export const removeDemoData: RemoveDemoDataHandler<PlatformDependencies> = async (
  { principal, context },
  { sql, clock, syncJobs, storeTasks },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const { dropped, body } = await sql.begin(async (transaction) => {
    const removed = await dropDemoData(transaction, orgId, now);
    if (removed !== null) {
      const record = { action: 'DELETE', resourceKind: 'DEMO_DATA', orgId, userId } as const;
      await recordAudit(transaction, context, now, record);
    }
    return { dropped: removed, body: await readDemoData(transaction, orgId) };
  });
  if (dropped !== null) storeTasks.wake();
  if (dropped !== null && dropped.activeRunId !== null) syncJobs.recheck(dropped.activeRunId);
  return { status: 202, body };
};

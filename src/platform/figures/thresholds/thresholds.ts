import type {
  CreateThresholdHandler,
  CreateThresholdReply,
  DeleteThresholdHandler,
  DeleteThresholdReply,
  ListThresholdsHandler,
} from '../../../../generated/platform/operations.js';
import { thresholdLimitReached, thresholdNotFound } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { replyWithPage } from '../../server/paging.js';
import {
  countThresholds,
  insertThreshold,
  removeThreshold,
  selectThresholds,
  thresholdOf,
} from './thresholds.store.js';

/** Each is a query after each sync run. */
const mostThresholds = 20;

export const listThresholds: ListThresholdsHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectThresholds(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: thresholdOf,
  });

export const createThreshold: CreateThresholdHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = random.uuid();
  const threshold = { id, name: body.name.trim(), definition: body.definition, createdBy: actor.userId };
  return sql.begin(async (transaction): Promise<CreateThresholdReply> => {
    await lockOrganization(transaction, orgId); // concurrent requests must not exceed the limit together
    if ((await countThresholds(transaction, orgId)) >= mostThresholds) {
      const message = `An organization can have ${mostThresholds} thresholds. Delete one first.`;
      return thresholdLimitReached({ message });
    }
    const row = await insertThreshold(transaction, orgId, threshold, now);
    const record = { action: 'CREATE', resourceKind: 'THRESHOLD', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, { ...record, note: threshold.name });
    return { status: 201, body: thresholdOf(row) };
  });
};

export const deleteThreshold: DeleteThresholdHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.threshold_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DeleteThresholdReply> => {
    const name = await removeThreshold(transaction, orgId, id);
    if (name === null) return thresholdNotFound({ message: 'The organization has no such threshold.' });
    const record = { action: 'DELETE', resourceKind: 'THRESHOLD', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, clock.now(), { ...record, note: name });
    return { status: 204 };
  });
};

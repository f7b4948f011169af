import type {
  CreateViewHandler,
  CreateViewReply,
  DeleteViewHandler,
  DeleteViewReply,
  ListViewsHandler,
  UpdateViewHandler,
  UpdateViewReply,
} from '../../../../generated/platform/operations.js';
import { viewLimitReached } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import { isUniqueViolation } from '../../../database/failures.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { replyWithPage } from '../../server/paging.js';
import { mostViews, nameTaken, refusalToChange, violationsOfDefinition } from './view-rules.js';
import {
  changeView,
  countViews,
  findView,
  insertView,
  lockView,
  removeView,
  selectViews,
  viewOf,
} from './views.store.js';

export const listViews: ListViewsHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectViews(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: viewOf,
  });

export const createView: CreateViewHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, settings },
) => {
  const violations = violationsOfDefinition(body.definition, settings.analyticsMaxDays);
  if (violations.length > 0) return validationProblem(violations);
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  return sql.begin(async (transaction): Promise<CreateViewReply> => {
    await lockOrganization(transaction, orgId); // concurrent requests must not exceed the limit together
    if ((await countViews(transaction, orgId)) >= mostViews) {
      return viewLimitReached({ message: `An organization can have ${mostViews} views. Delete one first.` });
    }
    const view = { orgId, name: body.name.trim(), definition: body.definition, createdBy: actor.userId };
    const id = await insertView(transaction, view, now);
    if (id === null) return validationProblem([nameTaken]);
    const record = { action: 'CREATE', resourceKind: 'VIEW', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, record);
    const row = await findView(transaction, orgId, id);
    if (row === null) throw new Error('A view is gone in the transaction that inserted it');
    return {
      status: 201,
      headers: { Location: `/api/v1/organizations/${orgId}/views/${id}` },
      body: viewOf(row),
    };
  });
};

export const updateView: UpdateViewHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock, settings },
) => {
  const violations = violationsOfDefinition(body.definition, settings.analyticsMaxDays);
  if (violations.length > 0) return validationProblem(violations);
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.view_id.toLowerCase();
  try {
    return await sql.begin(async (transaction): Promise<UpdateViewReply> => {
      const refusal = refusalToChange(await lockView(transaction, orgId, id), principal);
      if (refusal !== null) return refusal;
      await changeView(transaction, orgId, id, body, now);
      const record = { action: 'UPDATE', resourceKind: 'VIEW', resourceId: id, orgId, ...actor } as const;
      await recordAudit(transaction, context, now, { ...record, note: Object.keys(body).sort().join(', ') });
      const row = await findView(transaction, orgId, id);
      if (row === null) throw new Error('A view is gone in the transaction that locked it');
      return { status: 200, body: viewOf(row) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'saved_views_name_key')) return validationProblem([nameTaken]);
    throw error;
  }
};

export const deleteView: DeleteViewHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.view_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DeleteViewReply> => {
    const refusal = refusalToChange(await lockView(transaction, orgId, id), principal);
    if (refusal !== null) return refusal;
    await removeView(transaction, orgId, id);
    const record = { action: 'DELETE', resourceKind: 'VIEW', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, clock.now(), record);
    return { status: 204 };
  });
};

import type { GetMeHandler, ListMyOrganizationsHandler } from '../../../../generated/platform/operations.js';
import { permissionsOf } from '../accounts/permissions.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { selectMemberships } from '../../tenancy/organizations/members.store.js';
import { replyWithPage } from '../../server/paging.js';

/** Returns the caller, as authentication has just read it. */
export const getMe: GetMeHandler<PlatformDependencies> = ({ principal }) => {
  const { user_id: id, session_id: _sessionId, ...account } = principal;
  return { status: 200, body: { id, ...account, permissions: permissionsOf(principal) } };
};

export const listMyOrganizations: ListMyOrganizationsHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectMemberships(sql, principal.user_id, position, limit),
    positionOf: (row) => ({ at: row.joined_at, id: row.id }),
    itemOf: (row) => ({ ...row, joined_at: row.joined_at.toISOString() }),
  });

import type { ListInvitesHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { inviteOf, selectInvites } from './invites.store.js';

export const listInvites: ListInvitesHandler<PlatformDependencies> = ({ query, principal }, { sql, clock }) =>
  replyWithPage(query, {
    select: (position, limit) => selectInvites(sql, principal.org_id, position, limit, clock.now()),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: inviteOf,
  });

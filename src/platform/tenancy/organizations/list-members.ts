import type { ListMembersHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { memberOf, selectMembers } from './members.store.js';

export const listMembers: ListMembersHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectMembers(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.joined_at, id: row.user_id }),
    itemOf: memberOf,
  });

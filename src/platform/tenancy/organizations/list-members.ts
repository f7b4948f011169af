import type { ListMembersHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { memberOf, selectMembers } from './members.store.js';
import { selectResettable } from './resettable.store.js';

export const listMembers: ListMembersHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: async (position, limit) => {
      const members = await selectMembers(sql, principal.org_id, position, limit);
      const ids = members.map(({ user_id: id }) => id);
      // Only owners learn who has a second factor.
      const isOwner = 'role' in principal && principal.role === 'owner';
      const resettable = isOwner ? await selectResettable(sql, ids, principal) : new Set();
      return members.map((member) => ({ ...member, isResettable: resettable.has(member.user_id) }));
    },
    positionOf: (row) => ({ at: row.joined_at, id: row.user_id }),
    itemOf: ({ isResettable, ...row }) => ({ ...memberOf(row), mfa_resettable: isResettable }),
  });

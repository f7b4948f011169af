import type { ListUsersHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { ordinaryUser } from './superusers.js';
import { accountOf, selectUsers } from './users.store.js';

export const listUsers: ListUsersHandler<PlatformDependencies> = async ({ query, principal }, { sql }) =>
  principal.is_superuser
    ? replyWithPage(query, {
        select: (position, limit) => selectUsers(sql, query, position, limit),
        positionOf: (row) => ({ at: row.created_at, id: row.id }),
        itemOf: accountOf,
      })
    : ordinaryUser();

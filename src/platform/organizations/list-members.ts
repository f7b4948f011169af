import type { ListMembersHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { pageOf, readCursor } from '../paging.js';
import { memberOf, selectMembers } from './members.store.js';

export const listMembers: ListMembersHandler<PlatformDependencies> = async ({ query, principal }, { sql }) => {
  const start = readCursor(query.cursor);
  if ('refusal' in start) return start.refusal;
  const rows = await selectMembers(sql, principal.org_id, start.position, query.limit + 1);
  const { page, nextCursor } = pageOf(rows, query.limit, (row) => ({ at: row.joined_at, id: row.user_id }));
  return { status: 200, body: { items: page.map(memberOf), next_cursor: nextCursor } };
};

import type { ListInvitesHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { pageOf, readCursor } from '../paging.js';
import { inviteOf, selectInvites } from './invites.store.js';

export const listInvites: ListInvitesHandler<PlatformDependencies> = async ({ query, principal }, { sql, clock }) => {
  const start = readCursor(query.cursor);
  if ('refusal' in start) return start.refusal;
  const rows = await selectInvites(sql, principal.org_id, start.position, query.limit + 1, clock.now());
  const { page, nextCursor } = pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }));
  return { status: 200, body: { items: page.map(inviteOf), next_cursor: nextCursor } };
};

import type { FilterColumns } from './filter-condition.js';

/** What filters of groups can name. */
export const groupColumns: FilterColumns = {
  id: { column: 'g.id', kind: 'id' },
  displayname: { column: 'g.display_name', kind: 'text' },
  externalid: { column: 'g.external_id', kind: 'exact text' },
  'meta.created': { column: 'g.created_at', kind: 'time' },
  'meta.lastmodified': { column: 'g.updated_at', kind: 'time' },
  ...Object.fromEntries(
    ['members', 'members.value'].map((name) => [
      name,
      {
        column: 'm.person_id',
        kind: 'id',
        lists: (sql, orgId, condition) => sql`exists (
          select from scim_group_members m where m.org_id = ${orgId} and m.group_id = g.id and ${condition})`,
      } satisfies FilterColumns[string],
    ]),
  ),
};

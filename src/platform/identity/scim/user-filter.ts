import type { FilterColumns } from './filter-condition.js';

/** What filters of users can name. */
export const userColumns: FilterColumns = {
  id: { column: 'p.id', kind: 'id' },
  username: { column: 'p.user_name', kind: 'text' },
  externalid: { column: 'p.external_id', kind: 'exact text' },
  displayname: { column: 'p.display_name', kind: 'text' },
  'name.formatted': { column: 'p.formatted_name', kind: 'text' },
  'name.givenname': { column: 'p.given_name', kind: 'text' },
  'name.familyname': { column: 'p.family_name', kind: 'text' },
  emails: { column: 'p.email', kind: 'text' },
  'emails.value': { column: 'p.email', kind: 'text' },
  active: { column: 'p.active', kind: 'boolean' },
  'meta.created': { column: 'p.created_at', kind: 'time' },
  'meta.lastmodified': { column: 'p.updated_at', kind: 'time' },
};

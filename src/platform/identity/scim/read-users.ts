import type { GetScimUserHandler, ListScimUsersHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { filterCondition } from './filter-condition.js';
import { selectGroupsOf } from './groups.store.js';
import { listOf, pageOf, pageWithReferences, selectedReferences } from './paging.js';
import { findPerson, selectPeople } from './people.store.js';
import { projected, wants } from './projection.js';
import { isId, noSuch } from './refusals.js';
import { userColumns } from './user-filter.js';
import { userResource } from './user-resource.js';

export const listScimUsers: ListScimUsersHandler<PlatformDependencies> = async (
  { query, principal },
  { sql, appBaseUrl },
) => {
  const { org_id: orgId } = principal;
  const condition = filterCondition(sql, orgId, userColumns, query.filter);
  if ('refusal' in condition) return condition.refusal;
  const { offset, limit } = pageOf(query.startIndex, query.count);
  const { rows, total } = await selectPeople(sql, orgId, condition.value, { offset, limit });
  const ids = wants(query, 'groups') ? rows.map(({ id }) => id) : [];
  const groups = await selectGroupsOf(sql, orgId, ids, selectedReferences);
  const page = pageWithReferences(rows, groups, (group) => group.person_id);
  const resources = page.map(([row, ofUser]) => projected(userResource(row, ofUser, appBaseUrl()), query));
  return { status: 200, body: listOf(resources, offset, total) };
};

export const getScimUser: GetScimUserHandler<PlatformDependencies> = async (
  { params: { scim_user_id: id }, query, principal },
  { sql, appBaseUrl },
) => {
  const person = isId(id) ? await findPerson(sql, principal.org_id, id) : null;
  if (person === null) return noSuch('user');
  const groups = await selectGroupsOf(sql, principal.org_id, [person.id]);
  return { status: 200, body: projected(userResource(person, groups, appBaseUrl()), query) };
};

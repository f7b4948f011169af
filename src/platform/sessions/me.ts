import type { GetMeHandler, ListMyOrganizationsHandler } from '../../../generated/platform/operations.js';
import { permissionsOf } from '../accounts/permissions.js';
import type { Role } from '../accounts/accounts.store.js';
import type { PlatformDependencies } from '../dependencies.js';

/** Who the caller is. Authentication has just read it all. */
export const getMe: GetMeHandler<PlatformDependencies> = ({ principal }) => {
  const { user_id: id, ...account } = principal;
  return { status: 200, body: { id, ...account, permissions: permissionsOf(principal.role) } };
};

export const listMyOrganizations: ListMyOrganizationsHandler<PlatformDependencies> = async ({ principal }, { sql }) => {
  const rows = await sql<{ id: string; name: string; role: Role; joined_at: Date }[]>`
    select o.id, o.name, m.role, m.joined_at
    from memberships m join organizations o on o.id = m.org_id
    where m.user_id = ${principal.user_id} order by m.joined_at, o.id`;
  const organizations = rows.map((row) => ({ ...row, joined_at: row.joined_at.toISOString() }));
  return { status: 200, body: { active_org_id: principal.org_id, organizations } };
};

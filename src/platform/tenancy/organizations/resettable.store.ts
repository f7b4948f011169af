import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import { hasSecondFactor } from '../../identity/mfa/second-factors.store.js';

/**
 * Selects the users whose second factor somebody may reset. An owner of all organizations of the user may, and so may a
 * superuser: the second factor protects whatever the account can reach.
 *
 * @param operator the session of somebody; one by SSO has no rights of a superuser
 */
export async function selectResettable(
  sql: Sql,
  userIds: readonly string[],
  { user_id: operatorId, is_superuser: isSuperuser }: Pick<Schemas['MemberPrincipal'], 'user_id' | 'is_superuser'>,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select u.id from users u
    where u.id = any (${sql.typed.texts(userIds)}::text[]::uuid[]) and u.id <> ${operatorId} and not u.is_superuser
      and ${hasSecondFactor(sql, sql`u.id`)} and (${isSuperuser} or not exists (
        select 1 from memberships m where m.user_id = u.id and not exists (
          select 1 from memberships own
          where own.org_id = m.org_id and own.user_id = ${operatorId} and own.role = 'owner')))`;
  return new Set(rows.map(({ id }) => id));
}

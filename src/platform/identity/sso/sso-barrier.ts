import {
  ssoRequired,
  ssoSessionConfined,
  type SsoRequired,
  type SsoSessionConfined,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { isRecoveryOwner } from './recovery-owner.js';

/**
 * Says why SSO keeps a session out of an organization. It explains what `findAccount` decides, and refuses joins that
 * would move a session there.
 *
 * @returns null: SSO does not keep it out
 */
export async function refusalOfEntry(
  sql: Sql,
  entry: { readonly userId: string; readonly orgId: string; readonly sessionId: string },
): Promise<SsoRequired | SsoSessionConfined | null> {
  const [session] = await sql<{ is_inside: boolean }[]>`
    select exists (select 1 from sso_connections c where c.id = s.connection_id and c.org_id = ${entry.orgId}) as is_inside
    from sso_sessions s where s.family_id = ${entry.sessionId}`;
  if (session !== undefined) return session.is_inside ? null : confined();
  return ssoRequirement(sql, entry);
}

/** Refuses a new organization to sessions by SSO, which are for the organization of that SSO. */
export async function refusalOfNewOrganization(sql: Sql, sessionId: string): Promise<SsoSessionConfined | null> {
  const sessions = await sql`select 1 from sso_sessions where family_id = ${sessionId}`;
  return sessions.length === 0 ? null : confined();
}

function confined(): SsoSessionConfined {
  return ssoSessionConfined({
    message: 'Your session has begun by SSO, and is for one organization only. Log in by password.',
  });
}

/** The refusal of an organization that lets this user in by SSO only; null: it does not require SSO of the user. */
export async function ssoRequirement(
  sql: Sql,
  { userId, orgId }: { readonly userId: string; readonly orgId: string },
): Promise<SsoRequired | null> {
  const rows = await sql`
    select 1 from sso_connections c join users u on u.id = ${userId}
    where c.org_id = ${orgId} and c.is_required and not ${isRecoveryOwner(sql, sql`u.id`)} and not u.is_superuser`;
  if (rows.length === 0) return null;
  return ssoRequired({ message: 'This organization requires SSO. Log in by SSO to work in it.', org_id: orgId });
}

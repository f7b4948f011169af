import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { isRecoveryOwner } from './recovery-owner.js';
import { after } from '../../clock.js';
import { lockUsers } from '../accounts/accounts.store.js';
import { refreshFamilySeconds } from '../tokens/lifetimes.js';
import { hashToken } from '../tokens/token-hash.js';

/** A session that begins by SSO. */
export interface SsoSession {
  readonly familyId: string;
  readonly connectionId: string;
  readonly userId: string;
  readonly subject: string;
  /** The session at the provider; null: the provider does not name it. */
  readonly sid: string | null;
}

/** Stores that a session begins by SSO. Call it before the session has tokens. */
export async function insertSsoSession(sql: Sql, session: SsoSession, now: Date): Promise<void> {
  const { familyId, connectionId, userId, subject, sid } = session;
  await sql`
    insert into sso_sessions (family_id, connection_id, user_id, subject, sid, expires_at)
    values (${familyId}, ${connectionId}, ${userId}, ${subject}, ${sid}, ${after(now, refreshFamilySeconds)})`;
}

/** Makes a new session one by SSO if the session that it replaces is. Call it before the session has tokens. */
export async function continueSsoSession(sql: Sql, familyId: string, nextFamilyId: string, now: Date): Promise<void> {
  await sql`
    insert into sso_sessions (family_id, connection_id, user_id, subject, sid, expires_at)
    select ${nextFamilyId}, connection_id, user_id, subject, sid, ${after(now, refreshFamilySeconds)} from sso_sessions
    where family_id = ${familyId}`;
}

/**
 * Whether the account of a session `s` by SSO belongs to the organization of SSO alone, and nothing else logs in to it:
 * then those who run the provider gain nothing by it that they do not have.
 */
export function isOfSsoAlone(sql: Sql): PendingQuery<Row[]> {
  return sql`exists (
    select 1 from users u join sso_connections c on c.id = s.connection_id
    where u.id = s.user_id and u.password_hash is null and not u.is_superuser
      and not exists (select 1 from memberships m where m.user_id = u.id and m.org_id <> c.org_id)
      and not exists (select 1 from user_identities i where i.user_id = u.id)
      and not exists (select 1 from sso_identities i where i.user_id = u.id and i.connection_id <> c.id))`;
}

/** The sessions of a connection to end: all, those of a session at the provider, or those of an account there. */
export interface EndedSessions {
  readonly connectionId: string;
  readonly sid?: string | undefined;
  readonly subject?: string | undefined;
}

/**
 * Ends sessions by SSO, and log-ins that wait for the second factor, under the locks of their users.
 *
 * @returns the users of the sessions
 */
export async function endSsoSessions(
  sql: Sql,
  { connectionId, sid, subject }: EndedSessions,
  now: Date,
): Promise<string[]> {
  const chosen = sql`
    s.connection_id = ${connectionId} ${sid === undefined ? sql`` : sql`and s.sid = ${sid}`}
    ${subject === undefined ? sql`` : sql`and s.subject = ${subject}`}`;
  const users = await sql<{ user_id: string }[]>`select distinct user_id from sso_sessions s where ${chosen}`;
  await lockUsers(
    sql,
    users.map((user) => user.user_id),
  );
  await sql`
    delete from mfa_attempts a using sso_sessions s
    where s.family_id = a.session_id and s.user_id = a.user_id and ${chosen}`;
  const ended = await sql<{ user_id: string }[]>`
    update refresh_tokens t set revoked_at = ${now}, revocation_reason = 'session_ended'
    from sso_sessions s
    where s.family_id = t.family_id and s.user_id = t.user_id and t.revoked_at is null and ${chosen}
    returning t.user_id`;
  return [...new Set(ended.map((row) => row.user_id))];
}

/**
 * Ends the sessions in an organization that its required SSO does not let in: those that did not begin by it, except for
 * the recovery owner and superusers. Call it under the locks of all members.
 */
export async function endOtherSessions(sql: Sql, orgId: string, now: Date): Promise<void> {
  await sql`
    update refresh_tokens t set revoked_at = ${now}, revocation_reason = 'session_ended'
    from sso_connections c, users u
    where c.org_id = ${orgId} and t.org_id = c.org_id and u.id = t.user_id and t.revoked_at is null
      and not u.is_superuser and not ${isRecoveryOwner(sql, sql`u.id`)}
      and not exists (select 1 from sso_sessions s where s.family_id = t.family_id and s.connection_id = c.id)`;
}

/**
 * Uses up a logout token. Of concurrent calls, one succeeds.
 *
 * @param token its connection and its `jti`: one token can have several valid signatures
 */
export async function useLogoutToken(
  sql: Sql,
  token: { readonly connectionId: string; readonly jti: string },
  expiresAt: Date,
): Promise<boolean> {
  const rows = await sql`
    insert into sso_logout_tokens (token_hash, expires_at) values (${hashToken(`${token.connectionId} ${token.jti}`)}, ${expiresAt})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

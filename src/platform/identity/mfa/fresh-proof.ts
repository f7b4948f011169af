import type { PendingQuery, Row } from 'postgres';
import { recentLoginRequired, type RecentLoginRequired } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import type { OrganizationPrincipal } from '../accounts/actor.js';
import { isOfSsoAlone } from '../sso/sso-sessions.store.js';
import { hasSecondFactor } from './second-factors.store.js';

/** For how long a proof says that a user is there, and not somebody who has found an open browser or a token. */
export const freshSeconds = 600;

/**
 * What a proof is for: how to log in to the account, the account itself (its data, its address, its end), or something of
 * the organization that the session is in.
 */
export type ProofPurpose = 'ways to log in' | 'account' | 'organization';

/**
 * Checks that a session was proved a short time ago. If the account has a second factor, that must be part of the proof:
 * a session of before it was set up proves too little. A log-in by SSO proves no way to log in, which could lead to other
 * organizations later: its provider must not add any. It proves the account only if that is part of the organization and
 * of nothing else.
 *
 * @param purpose what the proof is for
 * @param byPassword whether the request has the password, which proves its user, too
 * @returns the refusal; null: it was
 */
export async function refusalOfOldSession(
  sql: Sql,
  { user_id: userId, session_id: sessionId }: { readonly user_id: string; readonly session_id: string },
  now: Date,
  purpose: ProofPurpose,
  byPassword = false,
): Promise<RecentLoginRequired | null> {
  const horizon = after(now, -freshSeconds);
  const rows = await sql`
    select 1 from refresh_tokens
    where family_id = ${sessionId} and user_id = ${userId} and revoked_at is null
      and (second_factor_at > ${horizon} or (not ${hasSecondFactor(sql, userId)}
        and (${byPassword} or proved_at > ${horizon} or (family_created_at > ${horizon}
          and not ${isTooWeak(sql, purpose, sql`refresh_tokens.family_id`)}))))`;
  if (rows.length > 0) return null;
  const [weak] = await sql`
    select 1 where not ${hasSecondFactor(sql, userId)} and ${isTooWeak(sql, purpose, sql`${sessionId}::uuid`)}`;
  return recentLoginRequired({
    message:
      weak === undefined
        ? 'This needs a proof of the last 10 minutes. Log in again, then repeat it.'
        : 'A log-in by SSO does not prove this. Log in by password, then repeat it. ' +
          'If you have no password, "Forgot password" sends a link to choose one.',
  });
}

/** Whether a session has begun by SSO, and that proves too little for the purpose. */
function isTooWeak(sql: Sql, purpose: ProofPurpose, sessionId: PendingQuery<Row[]>): PendingQuery<Row[]> {
  if (purpose === 'organization') return sql`false`;
  return sql`exists (
    select 1 from sso_sessions s
    where s.family_id = ${sessionId} ${purpose === 'account' ? sql`and not ${isOfSsoAlone(sql)}` : sql``})`;
}

/** Checks like `refusalOfOldSession`. A service token needs no further proof: it was created with one. */
export async function refusalOfOldActor(
  sql: Sql,
  principal: OrganizationPrincipal,
  now: Date,
): Promise<RecentLoginRequired | null> {
  return 'service_token_id' in principal ? null : refusalOfOldSession(sql, principal, now, 'organization');
}

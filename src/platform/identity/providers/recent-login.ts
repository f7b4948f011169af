import { recentLoginRequired, type RecentLoginRequired } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** For how long a log-in proves that its user is there, and not somebody who has found an open browser or a token. */
const recentSeconds = 600;

/** Checks that a session has begun a short time ago. @returns the refusal; null: it has */
export async function refusalOfOldSession(
  sql: Sql,
  { user_id: userId, session_id: sessionId }: { readonly user_id: string; readonly session_id: string },
  now: Date,
): Promise<RecentLoginRequired | null> {
  const rows = await sql`
    select 1 from refresh_tokens
    where family_id = ${sessionId} and user_id = ${userId} and revoked_at is null
      and family_created_at > ${after(now, -recentSeconds)}`;
  return rows.length > 0
    ? null
    : recentLoginRequired({ message: 'You have logged in more than 10 minutes ago. Log in again, then repeat this.' });
}

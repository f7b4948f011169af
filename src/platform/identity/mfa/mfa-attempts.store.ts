import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** A log-in whose first proof is done. */
export interface MfaAttempt {
  readonly userId: string;
  readonly tokenVersion: number;
  /** The organization to work in; null: none. */
  readonly orgId: string | null;
  /** How the account was proved, for the audit log; null: by password. */
  readonly note: string | null;
  /** The id that the session will have; null: a new one. */
  readonly sessionId: string | null;
}

/** For how long people can take. It is shorter than the lock after wrong codes, which so ends the attempt. */
export const attemptSeconds = 600;

export async function storeAttempt(sql: Sql, hash: Buffer, attempt: MfaAttempt, now: Date): Promise<void> {
  const { userId, tokenVersion, orgId, note, sessionId } = attempt;
  await sql`
    insert into mfa_attempts (token_hash, user_id, token_version, org_id, note, session_id, expires_at)
    values (${hash}, ${userId}, ${tokenVersion}, ${orgId}, ${note}, ${sessionId}, ${after(now, attemptSeconds)})`;
}

/** @returns null if there is no such attempt, or the account was disabled or its password changed since */
export async function findAttempt(sql: Sql, hash: Buffer, now: Date): Promise<MfaAttempt | null> {
  const [row] = await sql<MfaAttempt[]>`
    select a.user_id as "userId", a.token_version as "tokenVersion", a.org_id as "orgId", a.note,
      a.session_id as "sessionId"
    from mfa_attempts a join users u on u.id = a.user_id and u.token_version = a.token_version and u.is_active
    where a.token_hash = ${hash} and a.expires_at > ${now}`;
  return row ?? null;
}

export async function deleteAttempt(sql: Sql, hash: Buffer): Promise<void> {
  await sql`delete from mfa_attempts where token_hash = ${hash}`;
}

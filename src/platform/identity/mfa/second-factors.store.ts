import type { PendingQuery, Row } from 'postgres';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';

export type MfaMethod = Schemas['MfaRequiredResponse']['methods'][number];

/** Whether the account has a second factor, which log-ins ask for. @param userId an id, or the expression of one */
export function hasSecondFactor(sql: Sql, userId: string | PendingQuery<Row[]>): PendingQuery<Row[]> {
  return sql`(
    exists (select 1 from totp_secrets where user_id = ${userId} and enabled_at is not null)
    or exists (select 1 from passkeys where user_id = ${userId}))`;
}

/** The ways to prove the second factor of an account, the usual one first. Empty: it has none. */
export async function selectMethods(sql: Sql, userId: string): Promise<MfaMethod[]> {
  const [row] = await sql<Readonly<Record<MfaMethod, boolean>>[]>`
    select exists (select 1 from passkeys where user_id = ${userId}) as passkey,
      exists (select 1 from totp_secrets where user_id = ${userId} and enabled_at is not null) as totp,
      exists (select 1 from recovery_codes where user_id = ${userId}) as recovery_code`;
  if (row === undefined || !(row.passkey || row.totp)) return [];
  return (['passkey', 'totp', 'recovery_code'] as const).filter((method) => row[method]);
}

/** Notes that a session was proved by the second factor. The lock of the user is held. */
export async function proveSession(sql: Sql, sessionId: string, now: Date): Promise<void> {
  await sql`
    update refresh_tokens set second_factor_at = ${now} where family_id = ${sessionId} and revoked_at is null`;
}

/** Notes that a session was proved by the password. The lock of the user is held. */
export async function proveSessionByPassword(sql: Sql, sessionId: string, now: Date): Promise<void> {
  await sql`update refresh_tokens set proved_at = ${now} where family_id = ${sessionId} and revoked_at is null`;
}

/** When a session was proved by the second factor; null: never. */
export async function findSessionProof(sql: Sql, sessionId: string): Promise<Date | null> {
  const [row] = await sql<{ second_factor_at: Date | null }[]>`
    select second_factor_at from refresh_tokens where family_id = ${sessionId} and revoked_at is null`;
  return row?.second_factor_at ?? null;
}

/**
 * Ends what depends on the second factor of an account, if the last one is gone: the recovery codes, and the proofs of its
 * sessions. The lock of the user is held.
 */
export async function endLastSecondFactor(sql: Sql, userId: string): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId} and not ${hasSecondFactor(sql, userId)}`;
  await sql`
    update refresh_tokens set second_factor_at = null
    where user_id = ${userId} and revoked_at is null and not ${hasSecondFactor(sql, userId)}`;
}

/**
 * Removes what was added to the second factor of an account since a moment, because somebody else may have added it. What
 * is older stays: who asks for this may have nothing but the mailbox. The lock of the user is held.
 *
 * @param withCodes whether the recovery codes may be new, too
 */
export async function deleteSecondFactorSince(
  sql: Sql,
  userId: string,
  since: Date,
  withCodes: boolean,
): Promise<void> {
  await sql`delete from totp_secrets where user_id = ${userId} and coalesce(enabled_at, started_at) >= ${since}`;
  await sql`delete from passkeys where user_id = ${userId} and created_at >= ${since}`;
  await sql`delete from mfa_attempts where user_id = ${userId}`;
  if (withCodes) await sql`delete from recovery_codes where user_id = ${userId}`;
  await endLastSecondFactor(sql, userId);
}

/** Removes the second factor of an account, and log-ins that await it. The lock of the user is held. */
export async function deleteSecondFactor(sql: Sql, userId: string): Promise<void> {
  await sql`delete from totp_secrets where user_id = ${userId}`;
  await sql`delete from passkeys where user_id = ${userId}`;
  await sql`delete from mfa_attempts where user_id = ${userId}`;
  await endLastSecondFactor(sql, userId);
}

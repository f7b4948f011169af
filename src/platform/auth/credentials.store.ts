import type { Sql } from '../../database/connection.js';
import { after } from '../surroundings.js';

/** What a login is checked against. */
export interface Credentials {
  readonly id: string;
  readonly password_hash: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly auth_provider: string;
  /** Raised by each new password, and not by a new hash of the same one. */
  readonly token_version: number;
  /** The organization that the user joined first. */
  readonly first_org_id: string | null;
}

const lockoutThreshold = 5;
const lockoutSeconds = 15 * 60;

/** @param email normalized */
export async function findCredentials(sql: Sql, email: string): Promise<Credentials | null> {
  const [row] = await sql<Credentials[]>`
    select id, password_hash, is_active, is_verified, auth_provider, token_version,
      (select org_id from memberships where user_id = users.id order by joined_at, org_id limit 1) as first_org_id
    from users where email = ${email}`;
  return row ?? null;
}

/**
 * Seconds until logins with this e-mail are allowed again; 0: they are. The same for addresses with and without an
 * account, so that a lock tells nobody which exist.
 */
export async function secondsLocked(sql: Sql, email: string, now: Date): Promise<number> {
  const [row] = await sql<{ locked_until: Date }[]>`
    select locked_until from login_failures where email = ${email} and locked_until > ${now}`;
  return row === undefined ? 0 : Math.max(1, Math.ceil((row.locked_until.getTime() - now.getTime()) / 1000));
}

/**
 * Counts one failure. The fifth in 15 minutes locks the e-mail for as long; older ones are forgotten.
 *
 * Of simultaneous attempts the row lets five count; the others find the lock, and must not tell whether their password
 * was right. So the outcome of an attempt is decided here and in `clearLoginFailures`, never by what was read earlier.
 *
 * @returns 0, or the seconds that the e-mail stays locked: then nothing was counted
 */
export async function recordLoginFailure(sql: Sql, email: string, now: Date): Promise<number> {
  const horizon = after(now, -lockoutSeconds);
  const counted = await sql`
    insert into login_failures as known (email, failed_at, last_failed_at) values (${email}, array[${now}::timestamptz], ${now})
    on conflict (email) do update set last_failed_at = ${now}, (failed_at, locked_until) = (
      select recent, case when cardinality(recent) >= ${lockoutThreshold} then ${after(now, lockoutSeconds)}::timestamptz end
      from (
        select array(select each from unnest(known.failed_at) as each where each > ${horizon}) || ${now}::timestamptz as recent
      ) as counted
    )
    where known.locked_until is null or known.locked_until <= ${now}
    returning 1`;
  return counted.length > 0 ? 0 : secondsLocked(sql, email, now);
}

/**
 * Ends the count after a correct password, unless the e-mail was locked while the password was being compared.
 *
 * @returns 0, or the seconds that the e-mail stays locked: then the attempt must fail
 */
export async function clearLoginFailures(sql: Sql, email: string, now: Date): Promise<number> {
  await sql`
    delete from login_failures where email = ${email} and (locked_until is null or locked_until <= ${now})`;
  return secondsLocked(sql, email, now);
}

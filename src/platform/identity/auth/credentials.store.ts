import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** The data that a login is checked against. */
export interface Credentials {
  readonly id: string;
  readonly password_hash: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly auth_provider: string;
  /** Incremented by a new password, but not by a new hash of the same password. */
  readonly token_version: number;
  /** The organization that the user worked in last, otherwise the first one that the user joined. Null: none. */
  readonly default_org_id: string | null;
}

const lockoutThreshold = 5;
const lockoutSeconds = 15 * 60;

/** @param email normalized */
export async function findCredentials(sql: Sql, email: string): Promise<Credentials | null> {
  const [row] = await sql<Credentials[]>`
    select id, password_hash, is_active, is_verified, auth_provider, token_version,
      (select org_id from memberships where user_id = users.id
        order by (org_id = (select t.org_id from refresh_tokens t where t.user_id = users.id
          order by t.created_at desc, (t.revoked_at is null) desc limit 1)) is true desc, joined_at, org_id
        limit 1) as default_org_id
    from users where email = ${email}`;
  return row ?? null;
}

/**
 * Seconds until logins with this e-mail are allowed again, or 0. Works the same for addresses without an account, so
 * that a lock does not reveal which exist.
 */
export async function secondsLocked(sql: Sql, email: string, now: Date): Promise<number> {
  const [row] = await sql<{ locked_until: Date }[]>`
    select locked_until from login_failures where email = ${email} and locked_until > ${now}`;
  return row === undefined ? 0 : Math.max(1, Math.ceil((row.locked_until.getTime() - now.getTime()) / 1000));
}

/**
 * Counts one failure. The fifth in 15 minutes locks the e-mail for 15 minutes; older failures are forgotten.
 *
 * The row limits concurrent attempts to five. The others see the lock and must not reveal whether their password was
 * right. The outcome of an attempt is therefore decided here and in `clearLoginFailures`, never by earlier reads.
 *
 * @returns 0, or the seconds that the e-mail remains locked; in that case nothing was counted
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
 * Resets the count after a correct password, unless the e-mail was locked while the password was being compared.
 *
 * @returns 0, or the seconds that the e-mail remains locked; in that case the attempt must fail
 */
export async function clearLoginFailures(sql: Sql, email: string, now: Date): Promise<number> {
  await sql`
    delete from login_failures where email = ${email} and (locked_until is null or locked_until <= ${now})`;
  return secondsLocked(sql, email, now);
}

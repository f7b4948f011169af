import { subscriberOf } from '@plumbline/contract/subscriber';
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import { isRecoveryOwner } from '../sso/recovery-owner.js';

/** The data that a login is checked against. */
export interface Credentials {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly is_active: boolean;
  readonly is_verified: boolean;
  readonly auth_provider: string;
  /** Incremented by a new password, but not by a new hash of the same password. */
  readonly token_version: number;
  /**
   * The organization that the user worked in last, otherwise the first one that the user joined. Null: none. One that
   * requires SSO comes after all others.
   */
  readonly default_org_id: string | null;
}

const lockoutThreshold = 5;
const lockoutSeconds = 15 * 60;

/** @param email normalized */
export async function findCredentials(sql: Sql, email: string): Promise<Credentials | null> {
  const [row] = await sql<Credentials[]>`${selectCredentials(sql)} where email = ${email}`;
  return row ?? null;
}

export async function findCredentialsOfUser(sql: Sql, userId: string): Promise<Credentials | null> {
  const [row] = await sql<Credentials[]>`${selectCredentials(sql)} where id = ${userId}`;
  return row ?? null;
}

function selectCredentials(sql: Sql): PendingQuery<Row[]> {
  return sql`
    select id, email, password_hash, is_active, is_verified, auth_provider, token_version,
      (select org_id from memberships where user_id = users.id
        order by exists (select 1 from sso_connections c where c.org_id = memberships.org_id and c.is_required
            and not ${isRecoveryOwner(sql, sql`users.id`)} and not users.is_superuser),
          (org_id = (select t.org_id from refresh_tokens t where t.user_id = users.id
          order by t.created_at desc, (t.revoked_at is null) desc limit 1)) is true desc, joined_at, org_id
        limit 1) as default_org_id
    from users`;
}

/** Where the failed logins of an attempt are counted: the e-mail, or the e-mail in a network that has proved to hold it. */
export type FailureCounter = string & { readonly counter: unique symbol };

/** Where the wrong second factors of an account are counted. No address has this form, so no proof of a mailbox ends it. */
export function secondFactorCounter(userId: string): FailureCounter {
  return `mfa ${userId}` as FailureCounter; // written by this function and `findLock` alone
}

/** The counter of an attempt, and the seconds until logins that it counts are allowed again, or 0. */
export interface Lock {
  readonly counter: FailureCounter;
  readonly seconds: number;
}

/**
 * Finds the lock that an attempt is under. Works the same for addresses without an account, so that a lock does not
 * reveal which exist. Who has used a link of a mail a short time ago has a separate counter for that network: otherwise
 * those who try passwords from elsewhere would lock the holder of the mailbox out again at once.
 */
export async function findLock(sql: Sql, email: string, clientIp: string, now: Date): Promise<Lock> {
  const [row] = await sql<{ counter: FailureCounter; locked_until: Date | null }[]>`
    select counter, locked_until
    from (select coalesce((
      select proven.counter from proven_networks as proven
      where proven.counter = ${counterOf(email, clientIp)} and until > ${now}
    ), ${email}) as counter) as counting
    left join login_failures on login_failures.email = counter and locked_until > ${now}`;
  if (row === undefined) throw new Error('the query of a lock has no row');
  return { counter: row.counter, seconds: secondsUntil(row.locked_until, now) };
}

/** Until when a proof separates the failed logins of its network from others: a mail's link is followed by a login. */
const provenSeconds = 60 * 60;

/** Notes that this network belongs to the holder of a mailbox. */
export async function proveNetwork(sql: Sql, email: string, clientIp: string, now: Date): Promise<void> {
  await sql`
    insert into proven_networks (counter, email, until)
    values (${counterOf(email, clientIp)}, ${email}, ${after(now, provenSeconds)})
    on conflict (counter) do update set until = excluded.until`;
}

function counterOf(email: string, clientIp: string): string {
  return `${email} ${subscriberOf(clientIp)}`;
}

/** Ends the lock of an e-mail everywhere. */
export async function endLocks(sql: Sql, email: string): Promise<void> {
  await sql`
    delete from login_failures where email = any (array(
      select ${email} union all select counter from proven_networks where email = ${email}
    ))`;
}

/** The seconds until attempts that a counter counts are allowed again, or 0. */
export async function secondsLocked(sql: Sql, counter: FailureCounter, now: Date): Promise<number> {
  const [row] = await sql<{ locked_until: Date }[]>`
    select locked_until from login_failures where email = ${counter} and locked_until > ${now}`;
  return secondsUntil(row?.locked_until ?? null, now);
}

function secondsUntil(end: Date | null, now: Date): number {
  return end === null ? 0 : Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
}

/**
 * Counts one failure. The fifth in 15 minutes locks the counter for 15 minutes; older failures are forgotten.
 *
 * The row limits concurrent attempts to five. The others see the lock and must not reveal whether their password was
 * right. The outcome of an attempt is therefore decided here and in `clearLoginFailures`, never by earlier reads.
 *
 * @returns 0, or the seconds that the counter remains locked; in that case nothing was counted
 */
export async function recordLoginFailure(sql: Sql, counter: FailureCounter, now: Date): Promise<number> {
  const horizon = after(now, -lockoutSeconds);
  const counted = await sql`
    insert into login_failures as known (email, failed_at, last_failed_at) values (${counter}, array[${now}::timestamptz], ${now})
    on conflict (email) do update set last_failed_at = ${now}, (failed_at, locked_until) = (
      select recent, case when cardinality(recent) >= ${lockoutThreshold} then ${after(now, lockoutSeconds)}::timestamptz end
      from (
        select array(select each from unnest(known.failed_at) as each where each > ${horizon}) || ${now}::timestamptz as recent
      ) as counted
    )
    where known.locked_until is null or known.locked_until <= ${now}
    returning 1`;
  return counted.length > 0 ? 0 : secondsLocked(sql, counter, now);
}

/**
 * Resets the count after a correct password, unless the counter was locked while the password was being compared.
 *
 * @returns 0, or the seconds that the counter remains locked; in that case the attempt must fail
 */
export async function clearLoginFailures(sql: Sql, counter: FailureCounter, now: Date): Promise<number> {
  await sql`
    delete from login_failures where email = ${counter} and (locked_until is null or locked_until <= ${now})`;
  return secondsLocked(sql, counter, now);
}

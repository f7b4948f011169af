import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import { hashToken } from '../tokens/token-hash.js';

/** A passkey, with what proofs are checked against. */
export interface Passkey {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** Base64url. */
  readonly credential_id: string;
  /** COSE. */
  readonly public_key: Uint8Array;
  /** How often the device has used it, if it counts. */
  readonly counter: number;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** The passkeys of an account: few, so that they are listed at once. */
export const mostPasskeys = 20;

/** For how long people can take. */
export const challengeSeconds = 600;

export async function selectPasskeys(sql: Sql, userId: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select id, user_id, name, credential_id, public_key, counter::float8 as counter, created_at, last_used_at
    from passkeys where user_id = ${userId} order by created_at, id`;
}

export async function findPasskey(sql: Sql, credentialId: string): Promise<Passkey | null> {
  const [row] = await sql<Passkey[]>`
    select id, user_id, name, credential_id, public_key, counter::float8 as counter, created_at, last_used_at
    from passkeys where credential_id = ${credentialId}`;
  return row ?? null;
}

/** @returns false if an account has the credential already */
export async function insertPasskey(sql: Sql, passkey: Passkey): Promise<boolean> {
  const inserted = await sql`
    insert into passkeys ${sql({ ...passkey, public_key: Buffer.from(passkey.public_key) })}
    on conflict (credential_id) do nothing returning 1`;
  return inserted.length > 0;
}

/** Notes that a passkey proved its user. */
export async function noteUseOfPasskey(sql: Sql, id: string, counter: number, now: Date): Promise<void> {
  await sql`update passkeys set counter = ${counter}, last_used_at = ${now} where id = ${id}`;
}

/** @returns the passkey; null if the account has none with this id */
export async function renamePasskey(sql: Sql, userId: string, id: string, name: string): Promise<Passkey | null> {
  const [row] = await sql<Passkey[]>`
    update passkeys set name = ${name} where id = ${id} and user_id = ${userId}
    returning id, user_id, name, credential_id, public_key, counter::float8 as counter, created_at, last_used_at`;
  return row ?? null;
}

/** @returns whether the account had it */
export async function removePasskey(sql: Sql, userId: string, id: string): Promise<boolean> {
  const deleted = await sql`delete from passkeys where id = ${id} and user_id = ${userId} returning 1`;
  return deleted.length > 0;
}

/** @param sessionId the session that a passkey is added in; null: for a proof by any passkey */
export async function storeChallenge(sql: Sql, challenge: string, sessionId: string | null, now: Date): Promise<void> {
  await sql`
    insert into passkey_challenges (challenge_hash, session_id, expires_at)
    values (${hashToken(challenge)}, ${sessionId}, ${after(now, challengeSeconds)})`;
}

/** Uses up a challenge. Of concurrent calls, one succeeds. */
export async function takeChallenge(
  sql: Sql,
  challenge: string,
  sessionId: string | null,
  now: Date,
): Promise<boolean> {
  const taken = await sql`
    delete from passkey_challenges
    where challenge_hash = ${hashToken(challenge)} and session_id is not distinct from ${sessionId}
      and expires_at > ${now}
    returning 1`;
  return taken.length > 0;
}

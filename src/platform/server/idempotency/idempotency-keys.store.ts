import type { Sql } from '../../../database/connection.js';

/**
 * Holds a key until the end of the transaction, also of one whose connection is lost.
 *
 * @returns false when another transaction holds it
 */
export async function tryLockKey(sql: Sql, hash: Buffer): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`plumbline idempotency ${hash.toString('hex')}`}, 0)) as taken`;
  return row?.taken === true;
}

/** @returns null when no reply is stored, or it has expired */
export async function findReply(sql: Sql, hash: Buffer, now: Date): Promise<Uint8Array | null> {
  const [row] = await sql<{ sealed_reply: Uint8Array }[]>`
    select sealed_reply from idempotency_keys where key_hash = ${hash} and expires_at > ${now}`;
  return row?.sealed_reply ?? null;
}

/** Stores the reply of a locked key, in place of one that has expired. */
export async function storeReply(sql: Sql, hash: Buffer, sealed: Buffer, expiresAt: Date): Promise<void> {
  await sql`
    insert into idempotency_keys (key_hash, sealed_reply, expires_at) values (${hash}, ${sealed}, ${expiresAt})
    on conflict (key_hash) do update
      set sealed_reply = excluded.sealed_reply, expires_at = excluded.expires_at`;
}

/** The announcement of a change has no reply. @param expiresAt the announcement's time and the time it is kept */
export function storeAnnouncement(sql: Sql, hash: Buffer, expiresAt: Date): Promise<void> {
  return storeReply(sql, hash, Buffer.alloc(0), expiresAt);
}

/** @returns when the announcement expires; null when there is none */
export async function findAnnouncement(sql: Sql, hash: Buffer, now: Date): Promise<Date | null> {
  const [row] = await sql<{ expires_at: Date }[]>`
    select expires_at from idempotency_keys where key_hash = ${hash} and expires_at > ${now}`;
  return row?.expires_at ?? null;
}

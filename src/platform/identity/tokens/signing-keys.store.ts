import type { JWK } from 'jose';
import type { DatabaseSql, Sql } from '../../../database/connection.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { after, type Clock } from '../../clock.js';
import {
  createKeyRing,
  generateSigningKey,
  publicPart,
  type KeyRing,
  type PublicKey,
  type SigningKey,
} from './key-ring.js';
import { refreshTokenSeconds } from './lifetimes.js';

/** Other servers sign with the old key until they notice the new one, which takes up to a minute. */
const noticeSeconds = 300;

/**
 * A new key is published for this time before it signs. A server reloads its keys when a token has an unknown key, but
 * at most once in five seconds; in between it would reject the token.
 */
const publishSeconds = 15;

/**
 * Loads the key ring from the database. The first start generates a key; of several servers that start concurrently,
 * one inserts its key and the others read it.
 */
export async function loadStoredKeyRing(sql: Sql, secrets: SecretBox, clock: Clock): Promise<KeyRing> {
  const now = clock.now();
  return (await readRing(sql, secrets, now)) ?? (await createFirst(sql, secrets, now));
}

/**
 * Replaces the signing key. The old key verifies until the last token it signed has expired. Running servers load the
 * new key without a restart, and sign with it after it has been published for a while.
 *
 * @returns the id of the new key
 */
export async function rotateSigningKey(sql: DatabaseSql, secrets: SecretBox, clock: Clock): Promise<string> {
  const key = await generateSigningKey();
  const now = clock.now();
  const expiresAt = after(now, noticeSeconds + refreshTokenSeconds);
  await sql.begin(async (transaction) => {
    // A concurrent later rotation must see and retire the key of the earlier one. Reads are not blocked.
    await transaction`lock table signing_keys in share row exclusive mode`;
    await transaction`
      update signing_keys set retired_at = ${now}, expires_at = ${expiresAt} where retired_at is null`;
    await insertKey(transaction, secrets, key, now);
  });
  return key.kid;
}

/** The ids of all stored keys. */
export async function storedKeyIds(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ kid: string }[]>`select kid from signing_keys`;
  return rows.map(({ kid }) => kid);
}

async function createFirst(sql: Sql, secrets: SecretBox, now: Date): Promise<KeyRing> {
  await insertKey(sql, secrets, await generateSigningKey(), now);
  const ring = await readRing(sql, secrets, now);
  if (ring === null) throw new Error('The signing key that was just stored was not found');
  return ring;
}

async function readRing(sql: Sql, secrets: SecretBox, now: Date): Promise<KeyRing | null> {
  const rows = await sql<StoredKey[]>`
    select kid, public_jwk, private_jwk_sealed, created_at, retired_at is not null as is_retired
    from signing_keys where expires_at is null or expires_at > ${now}
    order by created_at desc`;
  const current = rows.find((row) => !row.is_retired);
  if (current === undefined) return null;
  const isPublished = (row: StoredKey): boolean => after(row.created_at, publishSeconds) <= now;
  const signing = isPublished(current) ? current : (rows.find(isPublished) ?? current);
  const privateJwk = JSON.parse(secrets.open(signing.private_jwk_sealed, signingKeyContext(signing.kid))) as JWK; // sealed below
  const others = rows.filter((row) => row !== signing).map((row) => row.public_jwk);
  return createKeyRing({ kid: signing.kid, privateJwk }, others);
}

interface StoredKey {
  readonly kid: string;
  readonly public_jwk: PublicKey;
  readonly private_jwk_sealed: Uint8Array;
  readonly created_at: Date;
  readonly is_retired: boolean;
}

async function insertKey(sql: Sql, secrets: SecretBox, key: SigningKey, now: Date): Promise<void> {
  const sealed = secrets.seal(JSON.stringify(key.privateJwk), signingKeyContext(key.kid));
  await sql`
    insert into signing_keys (kid, public_jwk, private_jwk_sealed, created_at)
    values (${key.kid}, ${sql.json({ ...publicPart(key) })}, ${sealed}, ${now})
    on conflict do nothing`;
}

/** The context to which a sealed key is bound. */
export function signingKeyContext(kid: string): string {
  return `signing_key:${kid}`;
}

import type { Sql } from '../../../database/connection.js';
import { openOrLog, type SecretBox } from '../../server/secrets/secret-box.js';

/** The authenticator app of an account. */
export interface TotpSecret {
  readonly secret_sealed: Uint8Array;
  /** null: no code of it was seen yet. */
  readonly enabled_at: Date | null;
}

export async function findTotp(sql: Sql, userId: string): Promise<TotpSecret | null> {
  const [row] = await sql<TotpSecret[]>`select secret_sealed, enabled_at from totp_secrets where user_id = ${userId}`;
  return row ?? null;
}

/** Stores a secret that does not count yet. @returns false if one counts already */
export async function storeTotp(sql: Sql, userId: string, sealed: Buffer, now: Date): Promise<boolean> {
  const stored = await sql`
    insert into totp_secrets as known (user_id, secret_sealed, started_at) values (${userId}, ${sealed}, ${now})
    on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, started_at = excluded.started_at
    where known.enabled_at is null
    returning 1`;
  return stored.length > 0;
}

/** Lets a secret count. */
export async function enableTotp(sql: Sql, userId: string, now: Date): Promise<void> {
  await sql`update totp_secrets set enabled_at = ${now} where user_id = ${userId}`;
}

/** Notes that a code was accepted. @returns false if it, or a later one, was accepted before */
export async function useStep(sql: Sql, userId: string, step: number): Promise<boolean> {
  const used = await sql`
    update totp_secrets set last_step = ${step} where user_id = ${userId} and last_step < ${step} returning 1`;
  return used.length > 0;
}

/** @returns whether an app that counted is deleted */
export async function deleteTotp(sql: Sql, userId: string): Promise<boolean> {
  const deleted = await sql<{ enabled_at: Date | null }[]>`
    delete from totp_secrets where user_id = ${userId} returning enabled_at`;
  return deleted.some((row) => row.enabled_at !== null);
}

export function sealTotp(secret: string, userId: string, secrets: SecretBox): Buffer {
  return secrets.seal(secret, totpContext(userId));
}

/** @returns null if the secret cannot be opened */
export function openTotp(
  { secret_sealed: sealed }: TotpSecret,
  userId: string,
  parts: Parameters<typeof openOrLog>[0],
): string | null {
  return openOrLog(parts, sealed, totpContext(userId));
}

/** The context to which the secret of an authenticator app is bound. */
export function totpContext(userId: string): string {
  return `totp:${userId}`;
}

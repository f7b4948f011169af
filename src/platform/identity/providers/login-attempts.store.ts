import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';
import { hashToken } from '../tokens/token-hash.js';

/** A log-in with a provider that has begun. */
export interface LoginAttempt {
  readonly provider: string;
  /** The account and the session that the identity is linked for; null: it logs in. */
  readonly link: { readonly userId: string; readonly sessionId: string } | null;
  readonly returnTo: string | null;
}

/** For how long people can take at the provider. */
export const attemptSeconds = 600;

/** @param browser the secret in the cookie */
export async function storeAttempt(
  sql: Sql,
  { provider, link, returnTo }: LoginAttempt,
  { browser, state }: { readonly browser: string; readonly state: string },
  now: Date,
): Promise<void> {
  await sql`
    insert into login_attempts (state_hash, browser_hash, provider, user_id, session_id, return_to, expires_at)
    values (${hashToken(state)}, ${hashToken(browser)}, ${provider}, ${link?.userId ?? null},
      ${link?.sessionId ?? null}, ${returnTo}, ${after(now, attemptSeconds)})`;
}

/**
 * Uses up an attempt. Of concurrent calls, one succeeds. A call from another browser, or about another provider, leaves
 * the attempt to its owner.
 *
 * @param browsers the secrets in the cookies
 * @returns the attempt and its secret; null if there is none
 */
export async function takeAttempt(
  sql: Sql,
  { provider, state, browsers }: { readonly provider: string; readonly state: string; readonly browsers: string[] },
  now: Date,
): Promise<(LoginAttempt & { readonly browser: string }) | null> {
  const hashes = browsers.map(hashToken);
  const [row] = await sql<
    { browser_hash: Buffer; user_id: string | null; session_id: string | null; return_to: string | null }[]
  >`
    delete from login_attempts
    where state_hash = ${hashToken(state)} and provider = ${provider} and expires_at > ${now}
      and encode(browser_hash, 'hex') = any (${sql.typed.texts(hashes.map((hash) => hash.toString('hex')))}::text[])
    returning browser_hash, user_id, session_id, return_to`;
  const browser = browsers.find((_secret, index) => row !== undefined && hashes[index]?.equals(row.browser_hash));
  if (row === undefined || browser === undefined) return null;
  const { user_id: userId, session_id: sessionId, return_to: returnTo } = row;
  return { provider, browser, returnTo, link: userId === null || sessionId === null ? null : { userId, sessionId } };
}

import type { Sql } from '../../../database/connection.js';
import type { Random } from '../../random.js';
import { hashToken } from '../tokens/token-hash.js';

const codeCount = 10;
/** Base32 of RFC 4648 in lower case: without 0, 1, 8 and 9, which are easily misread. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Replaces the recovery codes of an account. @returns the codes, of 80 bits each; only their hashes are stored */
export async function replaceRecoveryCodes(sql: Sql, userId: string, random: Random): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, () => newCode(random));
  const hashes = codes.map((code) => hashOf(code).toString('hex'));
  await sql`delete from recovery_codes where user_id = ${userId}`;
  await sql`
    insert into recovery_codes (user_id, code_hash)
    select ${userId}, decode(hash, 'hex') from unnest(${sql.typed.texts(hashes)}::text[]) as hash`;
  return codes;
}

/** The recovery codes of an account that has just got a second factor. Empty: it has codes already, and keeps them. */
export async function firstRecoveryCodes(sql: Sql, userId: string, random: Random): Promise<string[]> {
  return (await countRecoveryCodes(sql, userId)) > 0 ? [] : replaceRecoveryCodes(sql, userId, random);
}

/** Uses up a code. @returns whether the account has it */
export async function useRecoveryCode(sql: Sql, userId: string, code: string): Promise<boolean> {
  const used = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hashOf(code)} returning 1`;
  return used.length > 0;
}

export async function countRecoveryCodes(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from recovery_codes where user_id = ${userId}`;
  return row?.count ?? 0;
}

function newCode(random: Random): string {
  const letters = [...random.bytes(16)].map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** People type codes in many ways. */
function hashOf(code: string): Buffer {
  return hashToken(code.toLowerCase().replace(/[\s-]/g, ''));
}

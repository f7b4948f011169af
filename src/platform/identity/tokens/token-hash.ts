import { createHash } from 'node:crypto';
import type { Random } from '../../random.js';

/** SHA-256 suffices for values of at least 128 random bits, which cannot be guessed (ASVS 6.5.2). */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A new one-time token: 256 random bits in base64url. The database stores only its hash. */
export function newOneTimeToken(random: Random): { readonly token: string; readonly hash: Buffer } {
  const token = random.bytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

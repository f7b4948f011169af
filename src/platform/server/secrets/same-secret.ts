import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a text is the secret. Compares digests, so that timing reveals nothing about the secret, not even its length. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

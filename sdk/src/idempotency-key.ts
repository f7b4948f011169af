/**
 * A key as the header `Idempotency-Key` has it, a string of a structured field (RFC 9651, section 3.3.3).
 *
 * @param key the caller's; undefined: a random one
 * @throws TypeError when the key is not of 1 to 255 printable ASCII characters
 */
export function idempotencyKey(key: string = randomKey()): string {
  if (!/^[ -~]{1,255}$/.test(key)) throw new TypeError('idempotencyKey must have 1 to 255 printable ASCII characters');
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** 128 random bits. Browsers have `crypto.randomUUID` in secure contexts only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** Encrypts secrets that are stored in the database. */
export interface SecretBox {
  /**
   * @param context the owner of the secret, for example `integration:<id>`; it opens only with the same context, so
   * that a sealed value copied to another row is useless
   */
  seal(plaintext: string, context: string): Buffer;
  /** @throws Error when the value was modified, or sealed with another key or context */
  open(sealed: Uint8Array, context: string): string;
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;
}

const version = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * Creates a box with AES-256-GCM (NIST SP 800-38D): a random 96-bit nonce per value, the context as associated data.
 *
 * @param key 32 bytes
 */
export function createSecretBox(key: Buffer): SecretBox {
  return {
    seal: (plaintext, context) => {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== version) throw new Error('The sealed value is of an unknown version');
      const nonce = bytes.subarray(1, 1 + nonceLength);
      const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
      // Explicit, because otherwise a truncated value would be checked against a shorter tag.
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      const ciphertext = bytes.subarray(1 + nonceLength + tagLength);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    },
    fingerprint: createHmac('sha256', key).update('plumbline secrets key').digest('hex').slice(0, 32),
  };
}

import type { Log } from '@plumbline/contract/contract-types';
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
  /**
   * The value sealed with the key, if the previous key has sealed it; null: the key has.
   *
   * @throws Error like `open`
   */
  reseal(sealed: Uint8Array, context: string): Buffer | null;
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;
  /** null: there is no previous key. */
  readonly previousFingerprint: string | null;
}

const version = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * Creates a box with AES-256-GCM (NIST SP 800-38D): a random 96-bit nonce per value, the context as associated data.
 *
 * @param key 32 bytes; seals and opens
 * @param previous 32 bytes of the key before; only opens
 */
export function createSecretBox(key: Buffer, previous: Buffer | null = null): SecretBox {
  const seal = (plaintext: string, context: string): Buffer => {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext]);
  };
  /** The text, and whether the previous key has sealed it. */
  const unseal = (sealed: Uint8Array, context: string): { readonly text: string; readonly isPrevious: boolean } => {
    try {
      return { text: openWith(key, sealed, context), isPrevious: false };
    } catch (error) {
      if (previous === null) throw error;
      return { text: openWith(previous, sealed, context), isPrevious: true };
    }
  };
  return {
    seal,
    open: (sealed, context) => unseal(sealed, context).text,
    reseal: (sealed, context) => {
      const { text, isPrevious } = unseal(sealed, context);
      return isPrevious ? seal(text, context) : null;
    },
    fingerprint: fingerprintOf(key),
    previousFingerprint: previous === null ? null : fingerprintOf(previous),
  };
}

/**
 * Opens a value whose loss has an answer.
 *
 * @returns null if it cannot be opened, which the log says with the context: it names the row
 */
export function openOrLog(
  { secrets, log }: { readonly secrets: SecretBox; readonly log: Log },
  sealed: Uint8Array,
  context: string,
): string | null {
  try {
    return secrets.open(sealed, context);
  } catch {
    log.error({ secret: context }, 'a stored secret cannot be opened with SECRETS_KEY');
    return null;
  }
}

function openWith(key: Buffer, sealed: Uint8Array, context: string): string {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== version) throw new Error('The sealed value is of an unknown version');
  const nonce = bytes.subarray(1, 1 + nonceLength);
  const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
  // Explicit, because otherwise a truncated value would be checked against a shorter tag.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  const ciphertext = bytes.subarray(1 + nonceLength + tagLength);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}

function fingerprintOf(key: Buffer): string {
  return createHmac('sha256', key).update('plumbline secrets key').digest('hex').slice(0, 32);
}

import { hash, verify } from '@node-rs/bcrypt';
import { maxPasswordBytes } from './password-rules.js';

/** Hashes passwords and compares them. */
export interface Passwords {
  /** @param password one that `checkPassword` accepts */
  hash(password: string): Promise<string>;
  /**
   * Compares, and does the same work whether or not there is anything to compare with: `null` is compared with a fixed
   * hash that no password has.
   */
  matches(password: string, hashed: string | null): Promise<boolean>;
  /** Whether a hash was made with another work factor than today's: then it is replaced at the next login. */
  isOutdated(hashed: string): boolean;
}

/**
 * Passwords with bcrypt, off the main thread.
 *
 * @param cost the work factor: 2^cost rounds
 */
export function createPasswords(cost: number): Passwords {
  const dummy = dummyHash(cost);
  return {
    hash: (password) => hash(password, cost),
    matches: async (password, hashed) => {
      const equal = await verify(password, hashed ?? dummy);
      // bcrypt sees 72 bytes: a longer password must not pass for one that begins alike.
      return equal && hashed !== null && Buffer.byteLength(password) <= maxPasswordBytes;
    },
    isOutdated: (hashed) => Number(/^\$2[abxy]\$(\d\d)\$/.exec(hashed)?.[1]) !== cost,
  };
}

/** A well-formed hash of this cost that nobody knows a password for: comparing with it is the whole work. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

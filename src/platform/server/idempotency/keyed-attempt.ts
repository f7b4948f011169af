import { createHash } from 'node:crypto';
import type { Sql } from '../../../database/connection.js';
import { after, type Clock } from '../../clock.js';
import { findAnnouncement, storeAnnouncement } from './idempotency-keys.store.js';

/**
 * An attempt of a request with an idempotency key that changes another database than the one that stores its reply.
 *
 * If the server is killed between the two commits, the change is stored without its reply. The announcement, which is
 * committed before the change, tells the repetition that the change may be its own.
 */
export interface KeyedAttempt {
  /** When the latest attempt of this request announced its change; null: none did. */
  announcedAt(): Promise<Date | null>;
  /** Commits at once that this attempt changes the other database now. */
  announce(): Promise<void>;
}

/** What an attempt needs; `sql` is outside the transaction that stores the reply. */
interface AttemptDependencies {
  readonly sql: Sql;
  readonly clock: Clock;
}

/**
 * @param hash of the key
 * @param fingerprint of the request
 * @param keptSeconds for how long a repetition is known
 */
export function keyedAttempt(
  { sql, clock }: AttemptDependencies,
  { hash, fingerprint, keptSeconds }: { hash: Buffer; fingerprint: string; keptSeconds: number },
): KeyedAttempt {
  // Not the hash of the key: servers of earlier releases take every row with that hash for a reply.
  const own = createHash('sha256').update('announced').update(hash).update(fingerprint).digest();
  return {
    announcedAt: async () => {
      const now = clock.now();
      const expiresAt = await findAnnouncement(sql, own, now);
      return expiresAt === null ? null : after(expiresAt, -keptSeconds);
    },
    announce: () => storeAnnouncement(sql, own, after(clock.now(), keptSeconds)),
  };
}

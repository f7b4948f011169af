/** Password verifiers of PostgreSQL, so that a password is neither sent to the server nor written to its log. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** The default of PostgreSQL (`scram_iterations`). */
const ITERATIONS = 4096;

/**
 * The verifier that PostgreSQL stores for a password (RFC 5803).
 *
 * @param password printable ASCII, which SASLprep leaves unchanged
 * @param salt 16 random bytes
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

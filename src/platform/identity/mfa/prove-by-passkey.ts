import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import { findPasskey, noteUseOfPasskey, takeChallenge } from './passkeys.store.js';
import { checkProof, relyingPartyOf } from './webauthn.js';

/**
 * Checks a proof by a passkey, and uses up its challenge. The user of the passkey is locked until the transaction ends.
 *
 * @param ofUser the user whose passkey it must be; default: any
 * @returns the user; null when the proof is invalid
 */
export async function proveByPasskey(
  sql: Sql,
  proof: Schemas['PasskeyProof'],
  { clock, appBaseUrl }: Pick<PlatformDependencies, 'clock' | 'appBaseUrl'>,
  ofUser?: string,
): Promise<string | null> {
  const now = clock.now();
  const known = await findPasskey(sql, proof.credential_id);
  if (known === null || (ofUser !== undefined && known.user_id !== ofUser)) return null;
  await lockUser(sql, known.user_id);
  const passkey = await findPasskey(sql, proof.credential_id); // its counter may have moved, or it may be deleted
  if (passkey?.user_id !== known.user_id) return null;
  const checked = await checkProof(proof, passkey, relyingPartyOf(appBaseUrl()));
  if (checked === null || !(await takeChallenge(sql, checked.challenge, null, now))) return null;
  await noteUseOfPasskey(sql, passkey.id, checked.counter, now);
  return passkey.user_id;
}

import type {
  DeletePasskeyHandler,
  DeletePasskeyReply,
  RegisterPasskeyHandler,
  RegisterPasskeyReply,
  Schemas,
  StartPasskeyHandler,
  UpdatePasskeyHandler,
} from '../../../../generated/platform/operations.js';
import { invalidPasskey, passkeyExists, passkeyNotFound, tooManyPasskeys } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { refusalOfOldSession } from './fresh-proof.js';
import { recordMfaChange } from './mfa-changes.js';
import {
  challengeSeconds,
  insertPasskey,
  mostPasskeys,
  removePasskey,
  renamePasskey,
  selectPasskeys,
  storeChallenge,
  takeChallenge,
  type Passkey,
} from './passkeys.store.js';
import { firstRecoveryCodes } from './recovery-codes.js';
import { endLastSecondFactor, proveSession } from './second-factors.store.js';
import { checkNewPasskey, passkeyAlgorithms, relyingPartyOf } from './webauthn.js';

export const startPasskey: StartPasskeyHandler<PlatformDependencies> = async ({ principal }, dependencies) => {
  const { sql, clock, random, appBaseUrl } = dependencies;
  const { user_id: userId, session_id: sessionId, email } = principal;
  const now = clock.now();
  const refusal = await refusalOfOldSession(sql, principal, now, 'ways to log in');
  if (refusal !== null) return refusal;
  const { token: challenge } = newOneTimeToken(random);
  await storeChallenge(sql, challenge, sessionId, now);
  const passkeys = await selectPasskeys(sql, userId);
  return {
    status: 200,
    body: {
      challenge,
      rp_id: relyingPartyOf(appBaseUrl()).id,
      rp_name: 'Plumbline',
      user_handle: Buffer.from(userId).toString('base64url'),
      user_name: email,
      algorithms: [...passkeyAlgorithms],
      exclude_credentials: passkeys.map((passkey) => passkey.credential_id),
      expires_in: challengeSeconds,
    },
  };
};

export const registerPasskey: RegisterPasskeyHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, random, mails, appBaseUrl } = dependencies;
  const { user_id: userId, session_id: sessionId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<RegisterPasskeyReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    const checked = await checkNewPasskey(body, relyingPartyOf(appBaseUrl()));
    if (checked === null || !(await takeChallenge(transaction, checked.challenge, sessionId, now))) {
      return invalidPasskey({ message: 'The passkey is invalid, or took too long. Try again.' });
    }
    if ((await selectPasskeys(transaction, userId)).length >= mostPasskeys) {
      return tooManyPasskeys({ message: `An account has at most ${mostPasskeys} passkeys. Delete one first.` });
    }
    const passkey = {
      ...{ ...checked.credential, id: random.uuid(), user_id: userId, name: body.name.trim() },
      ...{ created_at: now, last_used_at: null },
    };
    if (!(await insertPasskey(transaction, passkey))) {
      return passkeyExists({ message: 'An account has this passkey already.' });
    }
    await proveSession(transaction, sessionId, now);
    await recordMfaChange(transaction, principal, 'passkey_added', { context, now }, dependencies);
    const codes = await firstRecoveryCodes(transaction, userId, random);
    return { status: 200, body: { passkey: passkeyOf(passkey), recovery_codes: codes } };
  });
  mails.wake();
  return reply;
};

export const updatePasskey: UpdatePasskeyHandler<PlatformDependencies> = async (
  { params, body, principal },
  { sql },
) => {
  const passkey = await renamePasskey(sql, principal.user_id, params.passkey_id, body.name.trim());
  return passkey === null ? unknownPasskey() : { status: 200, body: passkeyOf(passkey) };
};

export const deletePasskey: DeletePasskeyHandler<PlatformDependencies> = async (
  { params, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { user_id: userId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<DeletePasskeyReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    if (!(await removePasskey(transaction, userId, params.passkey_id))) return unknownPasskey();
    await recordMfaChange(transaction, principal, 'passkey_removed', { context, now }, dependencies);
    await endLastSecondFactor(transaction, userId);
    return { status: 204 };
  });
  mails.wake();
  return reply;
};

/** The contract's `Passkey`. */
export function passkeyOf(passkey: Omit<Passkey, 'public_key' | 'counter'>): Schemas['Passkey'] {
  const { id, name, created_at: createdAt, last_used_at: lastUsedAt } = passkey;
  return { id, name, created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null };
}

function unknownPasskey(): ReturnType<typeof passkeyNotFound> {
  return passkeyNotFound({ message: 'Your account has no such passkey.' });
}

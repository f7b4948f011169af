import type { LoginByPasskeyHandler, StartPasskeyLoginHandler } from '../../../../generated/platform/operations.js';
import { invalidPasskey } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findCredentialsOfUser } from '../auth/credentials.store.js';
import { enter, enteredReply, type Entry } from '../auth/enter.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { challengeSeconds, storeChallenge } from './passkeys.store.js';
import { proveByPasskey } from './prove-by-passkey.js';
import { relyingPartyOf } from './webauthn.js';

export const startPasskeyLogin: StartPasskeyLoginHandler<PlatformDependencies> = async (
  _request,
  { sql, clock, random, appBaseUrl },
) => {
  const { token: challenge } = newOneTimeToken(random);
  await storeChallenge(sql, challenge, null, clock.now());
  const { id } = relyingPartyOf(appBaseUrl());
  return { status: 200, body: { challenge, rp_id: id, expires_in: challengeSeconds } };
};

/** Logs in with a passkey, which stands for both factors: it has verified its user. */
export const loginByPasskey: LoginByPasskeyHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, mails } = dependencies;
  const entry = await sql.begin(async (transaction): Promise<Entry> => {
    const userId = await proveByPasskey(transaction, body, dependencies);
    const credentials = userId === null ? null : await findCredentialsOfUser(transaction, userId);
    if (credentials === null) return { kind: 'invalid' };
    const target = { orgId: credentials.default_org_id, isOrgOptional: true };
    const proof = { credentials, ...target, note: 'by passkey', secondFactorAt: clock.now() };
    return enter(transaction, proof, context, dependencies);
  });
  if (entry.kind !== 'started') {
    return invalidPasskey({ message: 'The passkey is unknown here, or its answer is invalid. Try again.' });
  }
  mails.wake();
  return { status: 200, body: await enteredReply(entry, dependencies) };
};

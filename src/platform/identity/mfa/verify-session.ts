import type { VerifySessionHandler, VerifySessionReply } from '../../../../generated/platform/operations.js';
import { secondFactorRequired } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { lockUser } from '../accounts/accounts.store.js';
import { acceptProof, provePassword } from '../auth/password-proof.js';
import { refusalOfFactor } from './check-factor.js';
import { freshSeconds } from './fresh-proof.js';
import { mailAboutMfa } from './mfa-changes.js';
import { proveSession, proveSessionByPassword, selectMethods } from './second-factors.store.js';

/** Takes a further proof in a session, so that changes which need a fresh one are possible. */
export const verifySession: VerifySessionHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, mails } = dependencies;
  const { user_id: userId, session_id: sessionId } = principal;
  const now = clock.now();
  const proved = { status: 200, body: { expires_in: freshSeconds } } as const;
  if ('current_password' in body) {
    if ((await selectMethods(sql, userId)).length > 0) return notByPassword();
    const proof = await provePassword({ principal, context }, body.current_password, dependencies);
    if ('refusal' in proof) return proof.refusal;
    return sql.begin(async (transaction): Promise<VerifySessionReply> => {
      const refusal = await acceptProof(transaction, proof, now);
      if (refusal !== null) return refusal;
      await proveSessionByPassword(transaction, sessionId, now);
      return proved;
    });
  }
  const reply = await sql.begin(async (transaction): Promise<VerifySessionReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfFactor(transaction, userId, body, dependencies);
    if (refusal !== null) {
      if (refusal.status === 429) return refusal;
      const note = 'wrong second factor in a session';
      const record = { action: 'LOGIN_FAILED', resourceKind: 'SESSION', resourceId: sessionId, userId, note } as const;
      await recordAccountEvent(transaction, context, now, { ...record, status: 'failure' });
      return refusal;
    }
    if ('recovery_code' in body) {
      await mailAboutMfa(transaction, principal, 'recovery_code_used', { context, now }, dependencies);
    }
    await proveSession(transaction, sessionId, now);
    return proved;
  });
  mails.wake();
  return reply;
};

function notByPassword(): ReturnType<typeof secondFactorRequired> {
  return secondFactorRequired({ message: 'Your account has a second factor. Prove that instead of the password.' });
}

import type { VerifyMfaHandler, VerifyMfaReply } from '../../../../generated/platform/operations.js';
import { invalidMfaToken } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { lockUser } from '../accounts/accounts.store.js';
import { findCredentialsOfUser } from '../auth/credentials.store.js';
import { enter, enteredReply, type Entry } from '../auth/enter.js';
import { hashToken } from '../tokens/token-hash.js';
import { refusalOfFactor } from './check-factor.js';
import { mailAboutMfa } from './mfa-changes.js';
import { deleteAttempt, findAttempt } from './mfa-attempts.store.js';

/** Completes a log-in whose first proof is done. */
export const verifyMfa: VerifyMfaHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, mails } = dependencies;
  const hash = hashToken(body.mfa_token);
  const outcome = await sql.begin(async (transaction): Promise<Entry | VerifyMfaReply> => {
    const now = clock.now();
    const awaited = await findAttempt(transaction, hash, now);
    if (awaited === null) return invalidToken();
    const { userId } = awaited;
    await lockUser(transaction, userId);
    const attempt = await findAttempt(transaction, hash, now); // another request may have used it
    const credentials = await findCredentialsOfUser(transaction, userId);
    if (attempt === null || credentials === null) return invalidToken();
    const refusal = await refusalOfFactor(transaction, userId, body, dependencies);
    if (refusal !== null) {
      if (refusal.status !== 403) return refusal;
      await recordAccountEvent(transaction, context, now, {
        ...{ action: 'LOGIN_FAILED', resourceKind: 'SESSION', userId, status: 'failure', note: 'wrong second factor' },
      });
      return refusal;
    }
    await deleteAttempt(transaction, hash);
    if ('recovery_code' in body) {
      const holder = { user_id: userId, email: credentials.email };
      await mailAboutMfa(transaction, holder, 'recovery_code_used', { context, now }, dependencies);
    }
    const { orgId, note, sessionId } = attempt;
    const proof = { credentials, orgId, secondFactorAt: now };
    return enter(
      transaction,
      { ...proof, ...(note !== null && { note }), ...(sessionId !== null && { sessionId }) },
      context,
      dependencies,
    );
  });
  if ('status' in outcome) return outcome;
  if (outcome.kind !== 'started') return invalidToken();
  mails.wake();
  return { status: 200, body: await enteredReply(outcome, dependencies) };
};

function invalidToken(): ReturnType<typeof invalidMfaToken> {
  return invalidMfaToken({ message: 'The log-in has expired, or was completed already. Start again.' });
}

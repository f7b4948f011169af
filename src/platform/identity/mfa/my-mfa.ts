import type {
  DeleteTotpHandler,
  DeleteTotpReply,
  GetMfaHandler,
  RotateRecoveryCodesHandler,
  RotateRecoveryCodesReply,
  StartTotpHandler,
  StartTotpReply,
  VerifyTotpHandler,
  VerifyTotpReply,
} from '../../../../generated/platform/operations.js';
import { noSecondFactor, totpEnabled, totpNotStarted } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockUser } from '../accounts/accounts.store.js';
import { checkCode, wrongFactor } from './check-factor.js';
import { refusalOfOldSession } from './fresh-proof.js';
import { recordMfaChange } from './mfa-changes.js';
import { selectMfaState } from './mfa-state.js';
import { firstRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.js';
import { endLastSecondFactor, proveSession, selectMethods } from './second-factors.store.js';
import { newTotpSecret, otpauthUri } from './totp.js';
import { deleteTotp as deleteTotpOf, enableTotp, findTotp, sealTotp, storeTotp } from './totp.store.js';

export const getMfa: GetMfaHandler<PlatformDependencies> = async ({ principal: { user_id: userId } }, { sql }) => {
  return { status: 200, body: await selectMfaState(sql, userId) };
};

export const startTotp: StartTotpHandler<PlatformDependencies> = async ({ principal }, dependencies) => {
  const { sql, clock, random, secrets, appBaseUrl } = dependencies;
  const { user_id: userId, email } = principal;
  const now = clock.now();
  return sql.begin(async (transaction): Promise<StartTotpReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    const secret = newTotpSecret(random);
    if (!(await storeTotp(transaction, userId, sealTotp(secret, userId, secrets), now))) {
      return totpEnabled({ message: 'An authenticator app is set up already. Remove it first.' });
    }
    const issuer = `Plumbline ${new URL(appBaseUrl()).hostname}`;
    return { status: 200, body: { secret, otpauth_uri: otpauthUri(secret, { issuer, label: email }) } };
  });
};

export const verifyTotp: VerifyTotpHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, random, mails } = dependencies;
  const { user_id: userId, session_id: sessionId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<VerifyTotpReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    const totp = await findTotp(transaction, userId);
    if (totp === null || totp.enabled_at !== null) {
      return totpNotStarted({ message: 'No authenticator app is being set up. Begin first.' });
    }
    if ((await checkCode(transaction, userId, body.code, dependencies, false)) !== 'right') return wrongFactor();
    await enableTotp(transaction, userId, now);
    await proveSession(transaction, sessionId, now);
    await recordMfaChange(transaction, principal, 'totp_added', { context, now }, dependencies);
    return { status: 200, body: { recovery_codes: await firstRecoveryCodes(transaction, userId, random) } };
  });
  mails.wake();
  return reply;
};

export const deleteTotp: DeleteTotpHandler<PlatformDependencies> = async ({ principal, context }, dependencies) => {
  const { sql, clock, mails } = dependencies;
  const { user_id: userId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<DeleteTotpReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    if (await deleteTotpOf(transaction, userId)) {
      await recordMfaChange(transaction, principal, 'totp_removed', { context, now }, dependencies);
    }
    await endLastSecondFactor(transaction, userId);
    return { status: 204 };
  });
  mails.wake();
  return reply;
};

export const rotateRecoveryCodes: RotateRecoveryCodesHandler<PlatformDependencies> = async (
  { principal, context },
  dependencies,
) => {
  const { sql, clock, random, mails } = dependencies;
  const { user_id: userId } = principal;
  const now = clock.now();
  const reply = await sql.begin(async (transaction): Promise<RotateRecoveryCodesReply> => {
    await lockUser(transaction, userId);
    const refusal = await refusalOfOldSession(transaction, principal, now, 'ways to log in');
    if (refusal !== null) return refusal;
    if ((await selectMethods(transaction, userId)).length === 0) {
      return noSecondFactor({ message: 'The account has no second factor. Set one up first.' });
    }
    const codes = await replaceRecoveryCodes(transaction, userId, random);
    await recordMfaChange(transaction, principal, 'recovery_codes_replaced', { context, now }, dependencies);
    return { status: 200, body: { recovery_codes: codes } };
  });
  mails.wake();
  return reply;
};

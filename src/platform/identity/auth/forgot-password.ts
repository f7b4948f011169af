import type { ForgotPasswordHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { storeTokenRequest } from './token-requests.store.js';

export const forgotPassword: ForgotPasswordHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock },
) => {
  await storeTokenRequest(sql, { kind: 'reset', email: body.email }, context, clock.now());
  const message = 'If an account with this address exists, a password reset link has been sent.';
  return { status: 200, body: { message, verified: null } };
};

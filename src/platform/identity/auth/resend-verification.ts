import type { ResendVerificationHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { storeTokenRequest } from './token-requests.store.js';

export const resendVerification: ResendVerificationHandler<PlatformDependencies> = async (
  { body, context },
  { sql, clock },
) => {
  await storeTokenRequest(sql, { kind: 'verification', email: body.email }, context, clock.now());
  const message = 'If an account with this address needs verification, a new link has been sent.';
  return { status: 200, body: { message, verified: null } };
};

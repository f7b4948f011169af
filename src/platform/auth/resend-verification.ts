import type { ResendVerificationHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailVerification } from './mail-one-time-token.js';

export const resendVerification: ResendVerificationHandler<PlatformDependencies> = async (
  { body, context },
  dependencies,
) => {
  await mailVerification(body.email, context, dependencies);
  const message = 'If an account with this address waits for verification, a new link is on its way.';
  return { status: 200, body: { message, verified: null } };
};

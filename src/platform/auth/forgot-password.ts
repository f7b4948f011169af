import type { ForgotPasswordHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailReset } from './mail-one-time-token.js';

export const forgotPassword: ForgotPasswordHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  await mailReset(body.email, context, dependencies);
  const message = 'If an account with this address exists, a link to reset its password is on its way.';
  return { status: 200, body: { message, verified: null } };
};

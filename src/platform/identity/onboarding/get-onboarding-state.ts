import type { GetOnboardingStateHandler } from '../../../../generated/platform/operations.js';
import { emailNotVerified } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { onboardingStateOf } from './onboarding-state.js';

export const getOnboardingState: GetOnboardingStateHandler<PlatformDependencies> = async ({ principal }, { sql }) => {
  if (!principal.is_verified) return emailNotVerified({ message: 'Verify your e-mail address first.' });
  return { status: 200, body: await onboardingStateOf(sql, principal) };
};

import type { ValidateTokenHandler } from '../../../../generated/platform/operations.js';
import { bearerOf } from '../accounts/bearer-security.js';
import type { PlatformDependencies } from '../../dependencies.js';

export const validateToken: ValidateTokenHandler<PlatformDependencies> = async ({ body }, dependencies) => {
  const bearer = await bearerOf(dependencies, body.token);
  if (bearer === null) {
    const nothing = { user_id: null, email: null, org_id: null, role: null, expires_at: null };
    return { status: 200, body: { valid: false, ...nothing } };
  }
  const { id, email, org_id, role } = bearer.account;
  const expiresAt = bearer.expiresAt.toISOString();
  return { status: 200, body: { valid: true, user_id: id, email, org_id, role, expires_at: expiresAt } };
};

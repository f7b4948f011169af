import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Entry } from '../auth/enter.js';
import { attemptSeconds } from './mfa-attempts.store.js';

/** The contract's `MfaRequiredResponse`. */
export function mfaRequiredReply({
  token,
  methods,
}: Extract<Entry, { kind: 'mfa_required' }>): Schemas['MfaRequiredResponse'] {
  return { status: 'mfa_required', mfa_token: token, methods, expires_in: attemptSeconds };
}

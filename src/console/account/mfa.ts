import { unwrap } from '@plumbline/sdk';
import { getMfa, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import { platform } from '../session/session.js';

/**
 * The second factor of the account.
 *
 * @param isAsked whether the server is asked each time, because the second factor may have changed in another browser
 */
export function useMfa(isAsked = false): UseQueryResult<Schemas['MfaState']> {
  return useQuery({
    queryKey: ['mfa', isAsked],
    queryFn: async ({ signal }) => unwrap(await getMfa(platform, { signal })),
    ...(isAsked && { gcTime: 0 }),
  });
}

/** The ways to prove the second factor, the usual one first. Empty: there is none. */
export function factorsOf({ totp_enabled_at: since, passkeys }: Schemas['MfaState']): Schemas['MfaMethod'][] {
  const factors = [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(since === null ? [] : (['totp'] as const)),
  ];
  return factors.length === 0 ? [] : [...factors, 'recovery_code'];
}

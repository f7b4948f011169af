import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { SsoRequired } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { findAccount, userOf } from '../accounts/accounts.store.js';
import { storeAttempt } from '../mfa/mfa-attempts.store.js';
import { selectMethods, type MfaMethod } from '../mfa/second-factors.store.js';
import { isNewDevice, programOf } from '../security/device.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { startSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import { ssoRequirement } from '../sso/sso-barrier.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import type { Credentials } from './credentials.store.js';

/** The outcome for somebody who has proved to hold an account. */
export type Entry =
  | { readonly kind: 'started'; readonly session: SessionState; readonly hasOrganization: boolean }
  /** No session starts before the second factor is proved. `token` identifies the log-in until then. */
  | { readonly kind: 'mfa_required'; readonly token: string; readonly methods: MfaMethod[] }
  /** Not a member of the organization. */
  | { readonly kind: 'foreign' }
  /** The organization lets its members in by SSO only. */
  | { readonly kind: 'sso_required'; readonly refusal: SsoRequired }
  /** The account was disabled or deleted, or its sessions were ended since the proof. */
  | { readonly kind: 'invalid' };

/**
 * Starts the session of somebody who has proved to hold an account, or asks for the second factor. Every way to log in
 * ends here. Runs in the caller's transaction, under the user's lock.
 *
 * @param proof `credentials`: the account as it was when the proof was checked; `orgId`: the organization to work in, if
 * any; `isOrgOptional`: whether to start without it if it requires SSO, as it must be where the caller has not named it:
 * otherwise an organization could keep its members from their accounts; `note`: how the account was proved, for the audit
 * log; `secondFactorAt`: when the second factor was proved; `sessionId`: the id of the session, if it begins by SSO and is
 * known as such
 */
export async function enter(
  sql: Sql,
  {
    credentials,
    orgId,
    isOrgOptional = false,
    note,
    secondFactorAt = null,
    sessionId,
  }: {
    readonly credentials: Credentials;
    readonly orgId: string | null;
    readonly isOrgOptional?: boolean;
    readonly note?: string;
    readonly secondFactorAt?: Date | null;
    readonly sessionId?: string;
  },
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Entry> {
  const now = dependencies.clock.now();
  const account = await findAccount(sql, credentials.id, orgId, sessionId ?? null);
  if (account === null) return { kind: 'invalid' };
  if (orgId !== null && account.org_id === null) {
    const refusal = await ssoRequirement(sql, { userId: account.id, orgId });
    if (refusal === null) return { kind: 'foreign' };
    if (!isOrgOptional) return { kind: 'sso_required', refusal };
  }
  if (secondFactorAt === null && account.is_active && account.token_version === credentials.token_version) {
    const methods = await selectMethods(sql, account.id);
    if (methods.length > 0) {
      const { token, hash } = newOneTimeToken(dependencies.random);
      const attempt = {
        userId: account.id,
        tokenVersion: account.token_version,
        orgId: account.org_id,
        note: note ?? null,
      };
      await storeAttempt(sql, hash, { ...attempt, sessionId: sessionId ?? null }, now);
      return { kind: 'mfa_required', token, methods };
    }
  }
  const [current] = await sql`
    update users set last_login_at = ${now}
    where id = ${account.id} and is_active and token_version = ${credentials.token_version} returning 1`;
  if (current === undefined) return { kind: 'invalid' };
  const beginning = { secondFactorAt, ...(sessionId !== undefined && { familyId: sessionId }) };
  const session = await startSession(sql, { ...account, last_login_at: now }, beginning, context, dependencies);
  await recordAudit(sql, context, now, {
    ...{ action: 'LOGIN', resourceKind: 'SESSION', orgId: account.org_id, userId: account.id },
    ...(note !== undefined && { note }),
  });
  if (await isNewDevice(sql, account.id, context, now)) {
    const event = { kind: 'new_device', program: programOf(context.userAgent) } as const;
    await mailAboutSecurity(sql, account, event, { context, now }, dependencies);
  }
  return { kind: 'started', session, hasOrganization: credentials.default_org_id !== null };
}

/** The contract's `LoginResponse`. Call it after the commit. */
export async function enteredReply(
  { session, hasOrganization }: Extract<Entry, { kind: 'started' }>,
  dependencies: PlatformDependencies,
): Promise<Schemas['LoginResponse']> {
  const { account } = session;
  const needsOnboarding = account.is_verified && !account.is_superuser && !hasOrganization;
  return { ...(await tokenPair(session, dependencies)), needs_onboarding: needsOnboarding, user: userOf(account) };
}

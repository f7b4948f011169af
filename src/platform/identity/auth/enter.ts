import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { findAccount, userOf } from '../accounts/accounts.store.js';
import { isNewDevice, programOf } from '../security/device.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { startSession, tokenPair, type SessionState } from '../sessions/token-pair.js';
import type { Credentials } from './credentials.store.js';

/** The outcome for somebody who has proved to hold an account. */
export type Entry =
  | { readonly kind: 'started'; readonly session: SessionState; readonly hasOrganization: boolean }
  /** Not a member of the organization. */
  | { readonly kind: 'foreign' }
  /** The account was disabled or deleted, or its sessions were ended since the proof. */
  | { readonly kind: 'invalid' };

/**
 * Starts the session of somebody who has proved to hold an account. Every way to log in ends here. Runs in the caller's
 * transaction, under the user's lock.
 *
 * @param proof `credentials`: the account as it was when the proof was checked; `orgId`: the organization to work in, if
 * any; `note`: how the account was proved, for the audit log
 */
export async function enter(
  sql: Sql,
  {
    credentials,
    orgId,
    note,
  }: { readonly credentials: Credentials; readonly orgId: string | null; readonly note?: string },
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Entry> {
  const now = dependencies.clock.now();
  const account = await findAccount(sql, credentials.id, orgId);
  if (account === null) return { kind: 'invalid' };
  if (orgId !== null && account.org_id === null) return { kind: 'foreign' };
  const [current] = await sql`
    update users set last_login_at = ${now}
    where id = ${account.id} and is_active and token_version = ${credentials.token_version} returning 1`;
  if (current === undefined) return { kind: 'invalid' };
  const session = await startSession(sql, { ...account, last_login_at: now }, context, dependencies);
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

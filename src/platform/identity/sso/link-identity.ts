import type { RequestContext } from '@plumbline/contract/contract-types';
import {
  accountExists,
  identityAlreadyLinked,
  ssoNotAdmitted,
  type AccountExists,
  type IdentityAlreadyLinked,
  type InvalidLoginAttempt,
  type SsoNotAdmitted,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { addressOf, recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { findAccountInSession, lockUser } from '../accounts/accounts.store.js';
import { deleteUnverifiedAccount } from '../accounts/unverified-accounts.store.js';
import { createAccount, settleAccount } from '../auth/new-account.js';
import { refusalOfRegistration } from '../auth/registration-policy.js';
import { invalidAttempt } from '../providers/redeem-attempt.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import { refusalOfStranger } from './admit-member.js';
import { holdInOrganization, type SsoConnection } from './sso-connections.store.js';
import { findSsoUser, linkSsoIdentity, lockLinkable, type SsoIdentity } from './sso-identities.store.js';

interface Refused {
  readonly refusal: SsoNotAdmitted | AccountExists | IdentityAlreadyLinked;
}

/**
 * Finds the account of an identity. The first time, it is the account with the address, or a new one. Who controls the
 * domain of an organization may take over what belongs to the organization, but not what belongs to a superuser or also
 * to other organizations: such an account is linked only by its holder. A disabled account is found, and not linked.
 * Call it while the connection is held.
 */
export async function accountOfIdentity(
  sql: Sql,
  connection: SsoConnection,
  identity: SsoIdentity & { readonly fullName: string | null },
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<{ readonly userId: string } | Refused> {
  const linked = await findSsoUser(sql, identity);
  if (linked !== null) return { userId: linked };
  const now = dependencies.clock.now();
  const { email } = identity;
  const existing = await lockLinkable(sql, email, connection.org_id);
  if (existing?.is_verified !== true && existing?.is_superuser !== true) {
    return createLinked(sql, connection, { ...identity, unverifiedId: existing?.id ?? null }, context, dependencies);
  }
  if (existing.is_superuser || existing.is_shared) {
    const message = `The account ${email} belongs to more than this organization. Log in to it, then link it to SSO on the account page.`;
    return { refusal: accountExists({ message }) };
  }
  const stranger = existing.is_member
    ? null
    : await refusalOfStranger(sql, connection, { userId: existing.id, email }, now);
  if (stranger !== null) return { refusal: stranger };
  if (!existing.is_active) return { userId: existing.id };
  return link(sql, { id: existing.id, email }, identity, { context, now }, dependencies);
}

/**
 * Creates an account without a password for somebody who can become a member. An unverified account with the address is
 * deleted with its organizations: a stranger may have registered it.
 */
async function createLinked(
  sql: Sql,
  connection: SsoConnection,
  identity: SsoIdentity & { readonly fullName: string | null; readonly unverifiedId: string | null },
  context: RequestContext,
  { clock, settings }: PlatformDependencies,
): Promise<{ readonly userId: string } | Refused> {
  const now = clock.now();
  const { email, fullName, unverifiedId } = identity;
  const stranger = await refusalOfStranger(sql, connection, { userId: unverifiedId, email }, now);
  if (stranger !== null) return { refusal: stranger };
  // The owners invite everybody whom their provider lets in.
  const closed = refusalOfRegistration(settings.registration, { email, hasInvite: true });
  if (closed !== null) return { refusal: ssoNotAdmitted({ message: closed }) };
  if (unverifiedId !== null) {
    const note = 'the holder of the address has logged in by SSO';
    await deleteUnverifiedAccount(sql, unverifiedId, note, context, now);
  }
  const account = { email, fullName, passwordHash: null, authProvider: 'sso', isVerified: true };
  const userId = await createAccount(sql, { ...account, registration: { at: now, from: addressOf(context) } }, context);
  if (userId === null) {
    // Another request has created it meanwhile, usually with the same identity.
    const linked = await findSsoUser(sql, identity);
    return linked === null
      ? { refusal: accountExists({ message: `The account ${email} exists. Start again.` }) }
      : { userId: linked };
  }
  if (!(await linkSsoIdentity(sql, userId, identity, now))) {
    throw new Error('the identity of a new account is linked already');
  }
  await settleAccount(sql, { userId, createsOrganization: false }, context, now);
  return { userId };
}

/** Links an identity to the account of the session that began the attempt, if that is still alive. */
export async function linkToAccount(
  sql: Sql,
  connection: SsoConnection,
  {
    userId,
    sessionId,
    identity,
  }: { readonly userId: string; readonly sessionId: string; readonly identity: SsoIdentity },
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<InvalidLoginAttempt | IdentityAlreadyLinked | null> {
  const now = dependencies.clock.now();
  await lockUser(sql, userId);
  const account = await findAccountInSession(sql, { userId, orgId: null, sessionId }, now);
  if (account?.is_active !== true || (await holdInOrganization(sql, connection)) === null) return invalidAttempt();
  const linked = await link(sql, account, identity, { context, now }, dependencies);
  return 'refusal' in linked ? linked.refusal : null;
}

async function link(
  sql: Sql,
  { id: userId, email }: { readonly id: string; readonly email: string },
  identity: SsoIdentity,
  { context, now }: { readonly context: RequestContext; readonly now: Date },
  dependencies: PlatformDependencies,
): Promise<{ readonly userId: string } | { readonly refusal: IdentityAlreadyLinked }> {
  if (!(await linkSsoIdentity(sql, userId, identity, now))) {
    // Another tab may have done the same meanwhile.
    if ((await findSsoUser(sql, identity)) === userId) return { userId };
    const message = 'This identity is linked already, or the account to another one of this provider.';
    return { refusal: identityAlreadyLinked({ message }) };
  }
  const record = { action: 'IDENTITY_LINKED', resourceKind: 'USER', resourceId: userId, userId, note: 'SSO' } as const;
  await recordAccountEvent(sql, context, now, record);
  const event = { kind: 'identity_linked', provider: 'SSO', email: identity.email } as const;
  await mailAboutSecurity(sql, { id: userId, email }, event, { context, now }, dependencies);
  return { userId };
}

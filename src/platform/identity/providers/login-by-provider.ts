import type { RequestContext } from '@plumbline/contract/contract-types';
import type { LoginByProviderHandler, LoginByProviderReply } from '../../../../generated/platform/operations.js';
import {
  accountExists,
  emailNotVerified,
  identityAlreadyLinked,
  invalidCredentials,
  registrationClosed,
} from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { addressOf, recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { selectMyInvites } from '../../tenancy/organizations/invites.store.js';
import { findAccountInSession, lockUser } from '../accounts/accounts.store.js';
import { enter, enteredReply, type Entry } from '../auth/enter.js';
import { findCredentialsOfUser } from '../auth/credentials.store.js';
import { createAccount, settleAccount } from '../auth/new-account.js';
import { refusalOfRegistration } from '../auth/registration-policy.js';
import { mfaRequiredReply } from '../mfa/mfa-required.js';
import { mailAboutSecurity } from '../security/security-mails.js';
import type { IdentityProvider, ProvenIdentity } from './identity-provider.js';
import type { LoginAttempt } from './login-attempts.store.js';
import { invalidAttempt, redeemAttempt } from './redeem-attempt.js';
import { redirectUriOf, unknownProvider } from './start-provider-login.js';
import { findLinkedUser, linkIdentity, noteUse } from './user-identities.store.js';

/** Completes an attempt: logs in with the identity that the provider proves, or links it to the account of the caller. */
export const loginByProvider: LoginByProviderHandler<PlatformDependencies> = async (
  { params, body, ctx, context },
  dependencies,
) => {
  const { sql, identityProviders } = dependencies;
  const provider = identityProviders.get(params.provider);
  if (provider === undefined) return unknownProvider();
  const redeemed = await redeemAttempt(
    {
      ...{ id: provider.id, name: provider.name, nameInside: provider.name },
      redirectUri: redirectUriOf(provider, dependencies),
      prove: (callback, secrets) => provider.identify(callback, secrets),
    },
    body.callback,
    ctx.req,
    dependencies,
  );
  if ('refusal' in redeemed) return redeemed.refusal;
  const { attempt, proof: identity } = redeemed;
  if (attempt.link !== null) return link(attempt, attempt.link, provider, identity, context, dependencies);
  const outcome = await sql.begin((transaction) => logIn(transaction, provider, identity, context, dependencies));
  if (outcome.kind === 'refused') return outcome.refusal;
  const { returnTo } = attempt;
  if (outcome.kind === 'mfa_required') {
    return { status: 200, body: { ...mfaRequiredReply(outcome), return_to: returnTo } };
  }
  if (outcome.kind !== 'started') return invalidCredentials();
  dependencies.mails.wake();
  return { status: 200, body: { ...(await enteredReply(outcome, dependencies)), return_to: returnTo } };
};

type Refusal = { readonly kind: 'refused'; readonly refusal: LoginByProviderReply };

/** Starts the session of the account that an identity is linked to. Creates the account at the first log-in. */
async function logIn(
  sql: Sql,
  provider: IdentityProvider,
  identity: ProvenIdentity,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Entry | Refusal> {
  const now = dependencies.clock.now();
  const created =
    (await findLinkedUser(sql, identity)) === null
      ? await signUp(sql, provider, identity, context, dependencies)
      : null;
  // An account of another request with the same identity, at the same time, is as good.
  const userId = await findLinkedUser(sql, identity);
  if (userId === null) return created ?? { kind: 'invalid' };
  await lockUser(sql, userId);
  const credentials = await findCredentialsOfUser(sql, userId);
  if (credentials === null || !(await noteUse(sql, userId, identity, now))) return { kind: 'invalid' };
  const note = `by ${provider.id}`;
  const target = { orgId: credentials.default_org_id, isOrgOptional: true };
  const entry = await enter(sql, { credentials, ...target, note }, context, dependencies);
  if (entry.kind === 'invalid') {
    const record = { action: 'LOGIN_FAILED', resourceKind: 'SESSION', status: 'failure' } as const;
    await recordAccountEvent(sql, context, now, { ...record, userId, note: `${note}: account disabled` });
  }
  return entry;
}

/** Creates an account without a password, linked to the identity. @returns the refusal; null: it is created */
async function signUp(
  sql: Sql,
  provider: IdentityProvider,
  identity: ProvenIdentity,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Refusal | null> {
  const { clock, settings } = dependencies;
  const now = clock.now();
  const { email, fullName } = identity;
  const refused = (refusal: LoginByProviderReply): Refusal => ({ kind: 'refused', refusal });
  if (email === null) return refused(unverified(provider));
  const hasInvite = (await selectMyInvites(sql, email, null, 1, now)).length > 0;
  const closed = refusalOfRegistration(settings.registration, { email, hasInvite });
  if (closed !== null) {
    const isTaken = await hasAccount(sql, email);
    return refused(isTaken ? taken(provider, email) : registrationClosed({ message: closed }));
  }
  const account = { email, fullName, passwordHash: null, authProvider: provider.id, isVerified: true };
  const userId = await createAccount(sql, { ...account, registration: { at: now, from: addressOf(context) } }, context);
  if (userId === null) return refused(taken(provider, email));
  // Another request may have linked it to an account with another address. The transaction is undone then.
  if (!(await linkIdentity(sql, userId, provider.id, { ...identity, email }, now))) {
    throw new Error('the identity of a new account is linked already');
  }
  // People who are invited join that organization. Another one would only be in their way.
  await settleAccount(
    sql,
    { userId, createsOrganization: settings.autoCreateOrgOnRegister && !hasInvite },
    context,
    now,
  );
  return null;
}

async function hasAccount(sql: Sql, email: string): Promise<boolean> {
  const rows = await sql`select 1 from users where email = ${email}`;
  return rows.length > 0;
}

/** Links an identity, if the session that began the attempt is still alive. */
async function link(
  { returnTo }: LoginAttempt,
  { userId, sessionId }: NonNullable<LoginAttempt['link']>,
  provider: IdentityProvider,
  identity: ProvenIdentity,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<LoginByProviderReply> {
  const { sql, clock, mails } = dependencies;
  const now = clock.now();
  const { email } = identity;
  if (email === null) return unverified(provider);
  const refusal = await sql.begin(async (transaction): Promise<LoginByProviderReply | null> => {
    await lockUser(transaction, userId);
    const account = await findAccountInSession(transaction, { userId, orgId: null, sessionId }, now);
    if (account?.is_active !== true) return invalidAttempt();
    if (!account.is_verified) return emailNotVerified({ message: 'Verify the e-mail address of your account first.' });
    if (!(await linkIdentity(transaction, userId, provider.id, { ...identity, email }, now))) {
      const message = `This account of ${provider.name} is linked already, or your account to another one.`;
      return identityAlreadyLinked({ message });
    }
    await recordAccountEvent(transaction, context, now, {
      ...{ action: 'IDENTITY_LINKED', resourceKind: 'USER', resourceId: userId, userId, note: provider.id },
    });
    const event = { kind: 'identity_linked', provider: provider.name, email } as const;
    await mailAboutSecurity(transaction, account, event, { context, now }, dependencies);
    return null;
  });
  if (refusal !== null) return refusal;
  mails.wake();
  return { status: 200, body: { status: 'identity_linked', provider: provider.id, return_to: returnTo } };
}

function unverified({ name }: IdentityProvider): ReturnType<typeof emailNotVerified> {
  return emailNotVerified({ message: `${name} names no verified e-mail address. Verify your address there first.` });
}

function taken({ name }: IdentityProvider, email: string): ReturnType<typeof accountExists> {
  const message = `An account with the address ${email} exists. Log in to it, then link ${name} on the account page.`;
  return accountExists({ message });
}

import type { RequestContext } from '@plumbline/contract/contract-types';
import { domainOfAddress } from '@plumbline/contract/email-address';
import type { LoginBySsoHandler, LoginBySsoReply } from '../../../../generated/platform/operations.js';
import { invalidCredentials, ssoNotAdmitted } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import { findInviteTo } from '../../tenancy/organizations/invites.store.js';
import { isActive } from '../../tenancy/organizations/members.store.js';
import { lockUser } from '../accounts/accounts.store.js';
import { findCredentialsOfUser } from '../auth/credentials.store.js';
import { mfaRequiredReply } from '../mfa/mfa-required.js';
import { enter, enteredReply, type Entry } from '../auth/enter.js';
import type { ProvenClaims } from '../providers/open-id-issuer.js';
import { invalidAttempt, redeemAttempt } from '../providers/redeem-attempt.js';
import { admitMember } from './admit-member.js';
import { attemptKey, callbackPage, issuerOf, providerName } from './connection-issuer.js';
import { accountOfIdentity, linkToAccount } from './link-identity.js';
import { sidOf, withStorableIds } from './provider-ids.js';
import { findConnection, holdInOrganization, type SsoConnection } from './sso-connections.store.js';
import { findHolder } from './sso-domains.store.js';
import { lockUsersOfLogin, noteSsoUse, type SsoIdentity } from './sso-identities.store.js';
import { insertSsoSession } from './sso-sessions.store.js';
import { joinTeams } from './sso-teams.js';
import { unknownSso } from './start-sso-login.js';

/** Completes an attempt: logs in to the organization, or links the identity to the account of the caller. */
export const loginBySso: LoginBySsoHandler<PlatformDependencies> = async (
  { params, body, ctx, context },
  dependencies,
) => {
  const { sql } = dependencies;
  const connection = await findConnection(sql, params.sso_org_id);
  if (connection === null) return unknownSso();
  const redeemed = await redeemAttempt(
    {
      ...{ id: attemptKey(connection), name: providerName, nameInside: 'the identity provider' },
      redirectUri: callbackPage(connection.org_id, dependencies),
      prove: async (callback, secrets) => {
        const issuer = issuerOf(connection, dependencies);
        return withStorableIds(await issuer.prove(callback, secrets, connection.groups_claim ?? undefined));
      },
    },
    body.callback,
    ctx.req,
    dependencies,
  );
  if ('refusal' in redeemed) return redeemed.refusal;
  const { attempt, proof } = redeemed;
  const { link, returnTo } = attempt;
  const outcome = await sql.begin(async (transaction): Promise<Outcome> => {
    const identity = await identityOf(transaction, connection, proof);
    if ('refusal' in identity) return identity;
    if (link === null) return logIn(transaction, connection, { identity, proof }, context, dependencies);
    const refusal = await linkToAccount(transaction, connection, { ...link, identity }, context, dependencies);
    return refusal === null ? { kind: 'linked' } : { kind: 'refused', refusal };
  });
  if (outcome.kind === 'refused') return outcome.refusal;
  dependencies.mails.wake();
  if (outcome.kind === 'started' || outcome.kind === 'mfa_required') {
    const identity = { connectionId: connection.id, subject: proof.identity.subject };
    await joinTeams(connection, identity, { claims: proof.claims, context }, dependencies);
  }
  if (outcome.kind === 'linked') return { status: 200, body: { status: 'sso_linked', return_to: returnTo } };
  if (outcome.kind === 'mfa_required') {
    return { status: 200, body: { ...mfaRequiredReply(outcome), return_to: returnTo } };
  }
  if (outcome.kind !== 'started') return invalidCredentials();
  const reply = await enteredReply(outcome, dependencies);
  return { status: 200, body: { ...reply, return_to: returnTo } };
};

type Refusal = { readonly kind: 'refused'; readonly refusal: LoginBySsoReply };
type Outcome = Entry | Refusal | { readonly kind: 'linked' };

/** The identity, if its provider may speak for its address: only for the domains that are verified for the organization. */
async function identityOf(
  sql: Sql,
  { id: connectionId, org_id: orgId }: SsoConnection,
  { identity: { subject, email } }: ProvenClaims,
): Promise<SsoIdentity | Refusal> {
  const refused = (message: string): Refusal => ({ kind: 'refused', refusal: ssoNotAdmitted({ message }) });
  if (email === null) return refused('The identity provider names no verified e-mail address.');
  const holder = await findHolder(sql, domainOfAddress(email));
  if (holder?.org_id !== orgId) return refused('The domain of your address is not verified for this organization.');
  return { connectionId, subject, email };
}

async function logIn(
  sql: Sql,
  connection: SsoConnection,
  { identity, proof }: { readonly identity: SsoIdentity; readonly proof: ProvenClaims },
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<Entry | Refusal> {
  const now = dependencies.clock.now();
  const { org_id: orgId } = connection;
  const { email } = identity;
  const inviteId = await findInviteTo(sql, orgId, email, now);
  await lockUsersOfLogin(sql, identity, inviteId);
  const held = await holdInOrganization(sql, connection);
  if (held === null) return { kind: 'refused', refusal: invalidAttempt() };
  const account = await accountOfIdentity(sql, held, { ...identity, ...proof.identity, email }, context, dependencies);
  if ('refusal' in account) return { kind: 'refused', ...account };
  const { userId } = account;
  // It is locked unless another log-in has just created it, which has held the organization until now.
  await lockUser(sql, userId);
  if (!(await isActive(sql, userId))) {
    const record = { action: 'LOGIN_FAILED', resourceKind: 'SESSION', status: 'failure' } as const;
    await recordAccountEvent(sql, context, now, { ...record, userId, note: 'by SSO: account disabled' });
    return { kind: 'invalid' };
  }
  if (!(await noteSsoUse(sql, userId, identity, now))) return { kind: 'invalid' };
  const entrant = { userId, email, inviteId, claims: proof.claims };
  const refusal = await admitMember(sql, held, entrant, { context, now }, dependencies);
  if (refusal !== null) return { kind: 'refused', refusal };
  const credentials = await findCredentialsOfUser(sql, userId);
  if (credentials === null) return { kind: 'invalid' };
  const sessionId = dependencies.random.uuid();
  const session = { familyId: sessionId, connectionId: held.id, userId, subject: identity.subject };
  await insertSsoSession(sql, { ...session, sid: sidOf(proof) }, now);
  return enter(sql, { credentials, orgId, note: 'by SSO', sessionId }, context, dependencies);
}

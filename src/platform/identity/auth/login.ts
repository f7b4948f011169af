import type { RequestContext } from '@plumbline/contract/contract-types';
import type { LoginHandler } from '../../../../generated/platform/operations.js';
import { accountLocked, invalidCredentials, notAMember } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import { lockUser } from '../accounts/accounts.store.js';
import { mfaRequiredReply } from '../mfa/mfa-required.js';
import { recordAccountEvent } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import {
  clearLoginFailures,
  findCredentials,
  findLock,
  recordLoginFailure,
  type Credentials,
} from './credentials.store.js';
import { enter, enteredReply, type Entry } from './enter.js';

/**
 * Logs in by password. Addresses with and without an account take the same path: the same reply, the same hashing work,
 * the same number of statements.
 */
export const login: LoginHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, passwords } = dependencies;
  const { email } = body;
  const { counter, seconds } = await findLock(sql, email, context.clientIp, clock.now());
  if (seconds > 0) return locked(seconds);

  const credentials = await findCredentials(sql, email);
  const hash = credentials?.is_active === true ? credentials.password_hash : null;
  const comparison = await passwords.compare(body.password, hash);
  if (comparison === 'different' || credentials === null) {
    const lockedFor = await sql.begin(async (transaction) => {
      const now = clock.now();
      const remaining = await recordLoginFailure(transaction, counter, now);
      if (remaining === 0) await recordFailedLogin(transaction, context, now, credentials, 'invalid credentials');
      return remaining;
    });
    return lockedFor > 0 ? locked(lockedFor) : invalidCredentials();
  }

  const isVerified = credentials.auth_provider !== 'local' || credentials.is_verified;
  // Rehash outdated hashes; otherwise response time reveals older accounts.
  const newHash = isVerified && comparison === 'outdated' ? await passwords.hash(body.password) : hash;
  const outcome = await sql.begin(async (transaction): Promise<Outcome> => {
    const now = clock.now();
    await lockUser(transaction, credentials.id); // before the counter, as where the current password is asked for
    const remaining = await clearLoginFailures(transaction, counter, now);
    if (remaining > 0) return { kind: 'locked', seconds: remaining };
    if (!isVerified) {
      await recordFailedLogin(transaction, context, now, credentials, 'email not verified');
      return { kind: 'unverified' };
    }

    const orgId = body.org_id ?? credentials.default_org_id;
    const isOrgOptional = body.org_id === undefined;
    const entry = await enter(transaction, { credentials, orgId, isOrgOptional }, context, dependencies);
    if (entry.kind === 'foreign') {
      await recordFailedLogin(transaction, context, now, credentials, 'not a member of the organization');
    }
    if (entry.kind === 'sso_required') {
      await recordFailedLogin(transaction, context, now, credentials, 'the organization requires SSO');
    }
    if (entry.kind === 'started' && newHash !== hash) {
      // A new hash of the same password, stored by a concurrent login, is as good.
      await transaction`update users set password_hash = ${newHash} where id = ${credentials.id} and password_hash = ${hash}`;
    }
    return entry;
  });

  if (outcome.kind === 'locked') return locked(outcome.seconds);
  if (outcome.kind === 'invalid') return invalidCredentials();
  if (outcome.kind === 'foreign') return notAMember({ message: 'You do not belong to this organization.' });
  if (outcome.kind === 'mfa_required') return { status: 200, body: mfaRequiredReply(outcome) };
  if (outcome.kind === 'sso_required') return outcome.refusal;
  if (outcome.kind === 'unverified') {
    const message = 'Verify your e-mail address, then log in.';
    return { status: 200, body: { status: 'email_verification_required', email, message } };
  }
  return { status: 200, body: await enteredReply(outcome, dependencies) };
};

/** The outcome of a login with the right password. */
type Outcome = Entry | { readonly kind: 'locked'; readonly seconds: number } | { readonly kind: 'unverified' };

function locked(seconds: number): ReturnType<typeof accountLocked> {
  const message = `Too many failed logins. Try again in ${seconds} seconds.`;
  return accountLocked({ message, retry_after_seconds: seconds });
}

async function recordFailedLogin(
  sql: Sql,
  context: RequestContext,
  now: Date,
  credentials: Credentials | null,
  note: string,
): Promise<void> {
  await recordAccountEvent(sql, context, now, {
    action: 'LOGIN_FAILED',
    resourceKind: 'SESSION',
    userId: credentials?.id ?? null,
    status: 'failure',
    note,
  });
}

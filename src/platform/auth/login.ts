import type { RequestContext } from '../../../generated/contract.js';
import type { LoginHandler } from '../../../generated/platform/operations.js';
import { accountLocked, invalidCredentials } from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import { findAccount, userOf } from '../accounts/accounts.store.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { startSession, tokenPair } from '../sessions/token-pair.js';
import {
  clearLoginFailures,
  findCredentials,
  recordLoginFailure,
  secondsLocked,
  type Credentials,
} from './credentials.store.js';

/**
 * Logs in by password. An address with an account and one without go the same way: the same reply, the same work on
 * the hash, the same number of statements.
 */
export const login: LoginHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, passwords } = dependencies;
  const now = clock.now();
  const { email } = body;
  const seconds = await secondsLocked(sql, email, now);
  if (seconds > 0) {
    const message = `Too many failed logins. Try again in ${seconds} seconds.`;
    return accountLocked({ message, retry_after_seconds: seconds });
  }

  const credentials = await findCredentials(sql, email);
  const hash = credentials?.is_active === true ? credentials.password_hash : null;
  if (!(await passwords.matches(body.password, hash)) || credentials === null) {
    await sql.begin(async (transaction) => {
      await recordLoginFailure(transaction, email, now);
      await recordFailedLogin(transaction, context, now, credentials, 'invalid credentials');
    });
    return invalidCredentials();
  }
  if (credentials.auth_provider === 'local' && !credentials.is_verified) {
    await sql.begin(async (transaction) => {
      await clearLoginFailures(transaction, email);
      await recordFailedLogin(transaction, context, now, credentials, 'email not verified');
    });
    const message = 'Verify your e-mail address, then log in.';
    return { status: 200, body: { status: 'email_verification_required', email, message } };
  }

  // Otherwise an account of before a change of AUTH_BCRYPT_COST could be told from none by the time of a reply.
  const newHash = hash !== null && passwords.isOutdated(hash) ? await passwords.hash(body.password) : hash;
  const session = await sql.begin(async (transaction) => {
    await clearLoginFailures(transaction, email);
    // The password may have been changed, or the account disabled, while the old hash was being compared.
    const [current] = await transaction`
      update users set last_login_at = ${now}, password_hash = ${newHash}
      where id = ${credentials.id} and is_active and password_hash = ${hash} returning 1`;
    const orgId = body.org_id ?? credentials.first_org_id;
    const account = current === undefined ? null : await findAccount(transaction, credentials.id, orgId);
    if (account === null) return null;
    const started = await startSession(transaction, account, context, dependencies);
    await recordAudit(transaction, context, now, {
      action: 'LOGIN',
      resourceKind: 'SESSION',
      orgId: account.org_id,
      userId: account.id,
    });
    return started;
  });
  if (session === null) return invalidCredentials();
  const { account } = session;
  const tokens = await tokenPair(session, dependencies);
  const needsOnboarding = credentials.first_org_id === null && !account.is_superuser;
  return { status: 200, body: { ...tokens, needs_onboarding: needsOnboarding, user: userOf(account) } };
};

async function recordFailedLogin(
  sql: Sql,
  context: RequestContext,
  now: Date,
  credentials: Credentials | null,
  note: string,
): Promise<void> {
  await recordAudit(sql, context, now, {
    action: 'LOGIN_FAILED',
    resourceKind: 'SESSION',
    orgId: credentials?.first_org_id ?? null,
    userId: credentials?.id ?? null,
    status: 'failure',
    note,
  });
}

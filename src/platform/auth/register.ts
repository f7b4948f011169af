import type { RequestContext } from '../../../generated/contract.js';
import type { RegisterHandler } from '../../../generated/platform/operations.js';
import { emailAlreadyRegistered, passwordRejected } from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import { unverifiedNote } from '../accounts/account-sweep.js';
import {
  deleteUnverifiedAccount,
  lockExpiredAccounts,
  storeDisownToken,
} from '../accounts/unverified-accounts.store.js';
import { addressOf, recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { enqueueMail, sealMail } from '../mail/outbox.store.js';
import { createOrganization } from '../organizations/organizations.store.js';
import { checkPassword } from '../passwords/password-rules.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { storeOneTimeToken } from './one-time-tokens.store.js';
import { verificationMail, type Registration } from './verification-mail.js';

/** The name of an organization if the registration has none. */
const defaultOrganizationName = 'My Organization';

export const register: RegisterHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, random, passwords, secrets, settings, mails } = dependencies;
  const violations = await checkPassword(body.password, {
    email: body.email,
    fullName: body.full_name ?? null,
    organizationName: body.org_name ?? null,
  });
  if (violations.length > 0) {
    return passwordRejected({ message: 'The password does not meet the password rules.', violations });
  }
  const createsOrganization = settings.autoCreateOrgOnRegister;
  const organizationName = body.org_name ?? defaultOrganizationName;

  const now = clock.now();
  const { email } = body;
  const passwordHash = await passwords.hash(body.password);
  const [verification, disown] = [newOneTimeToken(random), newOneTimeToken(random)];
  const links = { verification: verification.token, disown: disown.token };
  const registration = { at: now, from: addressOf(context) };
  const mail = sealMail(verificationMail(dependencies.appBaseUrl(), links, registration), secrets, random);

  const created = await sql.begin(async (transaction) => {
    await freeAddress(transaction, email, context, now);
    const user = { email, passwordHash, fullName: body.full_name?.trim() ?? null, registration };
    const userId = await insertUser(transaction, user);
    if (userId === null) return null;
    const orgId = createsOrganization
      ? await createOrganization(transaction, { name: organizationName, ownerId: userId }, now)
      : null;
    await storeOneTimeToken(transaction, { kind: 'verification', hash: verification.hash, userId }, now);
    await storeDisownToken(transaction, userId, disown.hash, now);
    await enqueueMail(transaction, mail, email, now);
    await recordAudit(transaction, context, now, {
      action: 'REGISTER',
      resourceKind: 'USER',
      resourceId: userId,
      orgId,
      userId,
    });
    if (orgId !== null) {
      const record = { action: 'CREATE', resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
      await recordAudit(transaction, context, now, record);
    }
    return { userId, orgId };
  });
  if (created === null) return emailAlreadyRegistered();
  mails.wake();
  return {
    status: 201,
    body: {
      message: 'Your account has been created. Check your inbox to verify your e-mail address.',
      user_id: created.userId,
      org_id: created.orgId,
    },
  };
};

/** Removes an expired unverified account of this address, in case no sweep has done so yet. */
async function freeAddress(sql: Sql, email: string, context: RequestContext, now: Date): Promise<void> {
  for (const id of await lockExpiredAccounts(sql, email, now, 1)) {
    const records = await deleteUnverifiedAccount(sql, id, unverifiedNote);
    for (const record of records) await recordAudit(sql, context, now, record);
  }
}

/** The unique key admits one of several registrations of an e-mail at once. @returns null for the others */
async function insertUser(
  sql: Sql,
  user: {
    readonly email: string;
    readonly passwordHash: string;
    readonly fullName: string | null;
    readonly registration: Registration;
  },
): Promise<string | null> {
  const { email, passwordHash, fullName, registration } = user;
  const { at, from } = registration;
  const [row] = await sql<{ id: string }[]>`
    insert into users (email, password_hash, full_name, auth_provider, registered_ip, created_at, updated_at)
    values (${email}, ${passwordHash}, ${fullName}, 'local', ${from}, ${at}, ${at})
    on conflict (email) do nothing returning id`;
  return row?.id ?? null;
}

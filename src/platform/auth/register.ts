import type { RegisterHandler } from '../../../generated/platform/operations.js';
import { emailAlreadyRegistered, passwordRejected } from '../../../generated/problems.js';
import type { Sql } from '../../database/connection.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { mailLink } from '../mail/links.js';
import { enqueueMail, sealMail } from '../mail/outbox.store.js';
import { createOrganization } from '../organizations/organizations.store.js';
import { checkPassword } from '../passwords/password-rules.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { storeOneTimeToken } from './one-time-tokens.store.js';

/** The organization of a registration that does not name one. */
const defaultOrganizationName = 'My Organization';

export const register: RegisterHandler<PlatformDependencies> = async ({ body, context }, dependencies) => {
  const { sql, clock, random, passwords, secrets, settings, mails } = dependencies;
  const violations = await checkPassword(body.password);
  if (violations.length > 0) {
    return passwordRejected({ message: 'The password breaks the rules for passwords.', violations });
  }
  const createsOrganization = settings.autoCreateOrgOnRegister;
  const organizationName = body.org_name ?? defaultOrganizationName;

  const now = clock.now();
  const { email } = body;
  const passwordHash = await passwords.hash(body.password);
  const verification = newOneTimeToken(random);
  const link = mailLink(settings.appBaseUrl, 'verify', verification.token);
  const mail = sealMail({ kind: 'verification', link }, secrets, random);

  const created = await sql.begin(async (transaction) => {
    const userId = await insertUser(transaction, email, passwordHash, body.full_name?.trim() ?? null, now);
    if (userId === null) return null;
    const orgId = createsOrganization
      ? await createOrganization(transaction, { name: organizationName, ownerId: userId }, now)
      : null;
    await storeOneTimeToken(transaction, { kind: 'verification', hash: verification.hash, userId }, now);
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
      message: 'Your account is created. Check your inbox to verify your e-mail address.',
      user_id: created.userId,
      org_id: created.orgId,
    },
  };
};

/** Of simultaneous registrations of one e-mail, the unique key lets one through. @returns null for the others */
async function insertUser(
  sql: Sql,
  email: string,
  passwordHash: string,
  fullName: string | null,
  now: Date,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into users (email, password_hash, full_name, auth_provider, created_at, updated_at)
    values (${email}, ${passwordHash}, ${fullName}, 'local', ${now}, ${now})
    on conflict (email) do nothing returning id`;
  return row?.id ?? null;
}

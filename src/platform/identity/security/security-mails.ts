import type { Sql } from '../../../database/connection.js';
import { mailLink } from '../../messages/mail/links.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';
import type { SecurityEvent } from '../../messages/mail/security-mail.js';
import { addressOf, type AuditContext } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { storeSecurityMail } from './security-mails.store.js';

/** Where and when something happened that account holders should know about. */
export interface SecurityOrigin {
  readonly context: Pick<AuditContext, 'clientIp'>;
  readonly now: Date;
}

export type SecurityMailParts = Pick<PlatformDependencies, 'random' | 'secrets' | 'appBaseUrl'>;

/**
 * Mails the holder of an account about an event, in the transaction that causes it. An account gets 5 mails of a kind in
 * a day: more of them would say nothing new, and somebody who knows the password could cause any number.
 */
export async function mailAboutSecurity(
  sql: Sql,
  { id: userId, email }: { readonly id: string; readonly email: string },
  event: SecurityEvent,
  { context, now }: SecurityOrigin,
  { random, secrets, appBaseUrl }: SecurityMailParts,
): Promise<void> {
  const { token, hash } = newOneTimeToken(random);
  const formerEmail = event.kind === 'email_changed' ? email : null;
  if (!(await storeSecurityMail(sql, { kind: event.kind, userId, hash, formerEmail }, now))) return;
  const origin = { at: now.toISOString(), from: addressOf(context) };
  const mail = { ...event, ...origin, link: mailLink(appBaseUrl(), 'secure-account', token) };
  await enqueueMail(sql, sealMail(mail, secrets, random), email, now);
}

/** Mails the other owners of an organization about a new one: it may have been made with the account of any of them. */
export async function mailAboutOwner(
  sql: Sql,
  {
    orgId,
    userId,
    organizationName,
  }: { readonly orgId: string; readonly userId: string; readonly organizationName: string },
  origin: SecurityOrigin,
  parts: SecurityMailParts,
): Promise<void> {
  const owners = await sql<{ id: string; email: string }[]>`
    select u.id, u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and u.is_active
    order by (u.id = ${userId}) desc, m.joined_at limit ${mostOwners}`;
  const newOwner = owners.find(({ id }) => id === userId)?.email;
  if (newOwner === undefined) return; // a disabled account
  for (const owner of owners.filter(({ id }) => id !== userId)) {
    await mailAboutSecurity(sql, owner, { kind: 'owner_added', organizationName, newOwner }, origin, parts);
  }
}

/** The mails of one request. */
const mostOwners = 50;

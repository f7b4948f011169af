import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';

/** The contents of a mail to the owners of an organization about its deletion. */
export interface DeletionNews {
  readonly orgId: string;
  readonly organization: string;
  /** The name or the address of the user who has marked the organization, or has taken that back. */
  readonly by: string;
  /** When the removal begins; null: the deletion was taken back. */
  readonly dueAt: Date | null;
}

/** Adds a mail to every owner to the outbox, in the transaction of the change. Wake the dispatcher after it. */
export async function mailOwners(
  sql: Sql,
  { orgId, organization, by, dueAt }: DeletionNews,
  { secrets, random, appBaseUrl, clock }: Pick<PlatformDependencies, 'secrets' | 'random' | 'appBaseUrl' | 'clock'>,
): Promise<void> {
  const owners = await sql<{ email: string }[]>`
    select u.email from memberships m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and u.is_active order by u.id`;
  const link = `${appBaseUrl()}/console/organization`;
  const mail = { kind: 'organization_deletion', link, organization, by, dueAt: dueAt?.toISOString() ?? null } as const;
  for (const { email } of owners) await enqueueMail(sql, sealMail(mail, secrets, random), email, clock.now());
}

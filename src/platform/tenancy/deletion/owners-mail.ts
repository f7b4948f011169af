import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { enqueueMail, sealMail } from '../../messages/mail/outbox.store.js';
import { selectAddresses } from '../organizations/members.store.js';

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
  const link = `${appBaseUrl()}/console/organization`;
  const mail = { kind: 'organization_deletion', link, organization, by, dueAt: dueAt?.toISOString() ?? null } as const;
  for (const email of await selectAddresses(sql, orgId, ['owner'], null)) {
    await enqueueMail(sql, sealMail(mail, secrets, random), email, clock.now());
  }
}

import type { DatabaseSql } from '../../../database/connection.js';
import type { Clock } from '../../clock.js';
import type { Random } from '../../random.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { noContext, recordAudit } from '../../tenancy/audit/audit.store.js';
import { selectAddresses } from '../../tenancy/organizations/members.store.js';
import type { MailDispatcher } from '../mail/dispatcher.js';
import { enqueueMail, sealMail } from '../mail/outbox.store.js';
import { deactivateWebhook, type InactiveReason } from './webhooks.store.js';

export interface DeactivationParts {
  readonly sql: DatabaseSql;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly random: Random;
  readonly mails: Pick<MailDispatcher, 'wake'>;
  /** The address in links of mails. */
  readonly appBaseUrl: () => string;
}

const inWords: Readonly<Record<InactiveReason, string>> = {
  gone: 'its URL answered 410 (gone)',
  failing: 'its URL has accepted nothing for days',
};

/** The mails about one webhook. */
const mostRecipients = 50;

/**
 * Deactivates a webhook by itself, with a record in the audit log and a mail to the owners and admins: none of them has
 * caused it.
 *
 * @param failingBefore only if its URL has accepted nothing since then; null: in any case
 * @returns whether it was deactivated
 */
export async function deactivateByItself(
  webhook: { readonly id: string; readonly url: string; readonly reason: InactiveReason },
  failingBefore: Date | null,
  { sql, clock, secrets, random, mails, appBaseUrl }: DeactivationParts,
): Promise<boolean> {
  const now = clock.now();
  const { id: resourceId, url, reason } = webhook;
  const { host } = new URL(url);
  const isDeactivated = await sql.begin(async (transaction) => {
    const deactivated = await deactivateWebhook(transaction, webhook, failingBefore, now);
    if (deactivated === null) return false;
    const { org_id: orgId, organization } = deactivated;
    await recordAudit(transaction, noContext, now, {
      action: 'WEBHOOK_DEACTIVATED',
      resourceKind: 'WEBHOOK',
      resourceId,
      orgId,
      userId: null,
      note: `${host}: ${inWords[reason]}`,
    });
    const mail = {
      kind: 'webhook_deactivated',
      link: `${appBaseUrl()}/console/webhooks`,
      organization,
      host,
      reason,
    } as const;
    for (const email of await selectAddresses(transaction, orgId, ['owner', 'admin'], mostRecipients)) {
      await enqueueMail(transaction, sealMail(mail, secrets, random), email, now);
    }
    return true;
  });
  if (isDeactivated) mails.wake();
  return isDeactivated;
}

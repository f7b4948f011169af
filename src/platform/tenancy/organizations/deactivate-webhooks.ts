import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Transaction } from '../../../database/connection.js';
import { changeWebhook, lockActivity, type WebhookRow } from '../../messages/webhooks/webhooks.store.js';
import { recordAudit } from '../audit/audit.store.js';

/**
 * Deactivates webhooks of an organization, whose receivers may belong to a member who is removed.
 *
 * @param actor who removes the member
 * @returns the webhooks as they are then
 */
export async function deactivateWebhooks(
  sql: Transaction,
  webhooks: readonly WebhookRow[],
  actor: { readonly orgId: string; readonly userId: string },
  context: RequestContext,
  now: Date,
): Promise<WebhookRow[]> {
  const { orgId } = actor;
  const change = { url: undefined, events: undefined, description: undefined, isActive: false };
  const deactivated: WebhookRow[] = [];
  for (const webhook of webhooks) {
    const { id } = webhook;
    if ((await lockActivity(sql, orgId, id)) !== true) {
      deactivated.push(webhook);
      continue;
    }
    deactivated.push(await changeWebhook(sql, orgId, id, change, now));
    const record = { action: 'UPDATE', resourceKind: 'WEBHOOK', resourceId: id, ...actor } as const;
    await recordAudit(sql, context, now, { ...record, note: 'is_active: the member who created it is removed' });
  }
  return deactivated;
}

import type { TestWebhookHandler } from '../../../../generated/platform/operations.js';
import { webhookNotFound } from '../../../../generated/problems.js';
import { actorOf } from '../../identity/accounts/actor.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { reasonOf, sendEvent } from './send-event.js';
import { findTarget } from './webhooks.store.js';

/** Sends outside any transaction, because the URL may be slow. */
export const testWebhook: TestWebhookHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, random, secrets, outbound },
) => {
  const { org_id: orgId } = principal;
  const id = params.webhook_id.toLowerCase();
  const target = await findTarget(sql, orgId, id, clock.now());
  if (target === null) return webhookNotFound({ message: 'The organization has no such webhook.' });
  const now = clock.now();
  const event = { id: random.uuid(), org_id: orgId, occurred_at: now.toISOString(), data: { webhook_id: id } };
  const sent = sendEvent(target, { type: 'webhook.test', ...event }, { secrets, outbound }, now, context.signal);
  const error = await sent.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error !== null) context.log.warn({ err: error, webhook_id: id }, 'test event not accepted');
  const reason = error === null ? null : reasonOf(error);

  const testedAt = clock.now();
  const record = { action: 'WEBHOOK_TESTED', resourceKind: 'WEBHOOK', resourceId: id, orgId } as const;
  const outcome = reason === null ? {} : ({ status: 'failure', note: reason } as const);
  await recordAudit(sql, context, testedAt, { ...record, ...actorOf(principal), ...outcome });
  return { status: 200, body: { success: reason === null, error: reason, tested_at: testedAt.toISOString() } };
};

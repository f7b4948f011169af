import type {
  CreateWebhookHandler,
  CreateWebhookReply,
  DeleteWebhookHandler,
  DeleteWebhookReply,
  ListWebhookDeliveriesHandler,
  ListWebhooksHandler,
  ResendWebhookDeliveryHandler,
  ResendWebhookDeliveryReply,
} from '../../../generated/platform/operations.js';
import {
  webhookDeliveryNotFound,
  webhookLimitReached,
  webhookNotFound,
  type WebhookNotFound,
} from '../../../generated/problems.js';
import { validationProblem } from '../../contract/violations.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { faultOfTargetUrl } from '../integrations/base-url.js';
import { lockOrganization } from '../organizations/members.store.js';
import { replyWithPage } from '../paging.js';
import { deliveryOf, restartDelivery, selectDeliveries } from './deliveries.store.js';
import {
  countWebhooks,
  hasWebhook,
  insertWebhook,
  removeWebhook,
  selectWebhooks,
  webhookOf,
  webhookSecretContext,
} from './webhooks.store.js';

const mostWebhooks = 10;
/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

export const listWebhooks: ListWebhooksHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectWebhooks(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: webhookOf,
  });

export const createWebhook: CreateWebhookHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random, secrets, settings },
) => {
  const fault = faultOfWebhookUrl(body.url, settings.integrationNetworks);
  if (fault !== null) return validationProblem([{ path: '/body/url', rule: 'format', message: fault }]);

  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const id = random.uuid();
  const secret = `whsec_${random.bytes(secretBytes).toString('base64')}`;
  const url = new URL(body.url); // percent-encodes what would make a list show another URL, such as U+202E
  const webhook = { id, url: url.href, events: body.events, created_by: userId, created_at: now };
  return sql.begin(async (transaction): Promise<CreateWebhookReply> => {
    await lockOrganization(transaction, orgId); // concurrent requests must not exceed the limit together
    if ((await countWebhooks(transaction, orgId)) >= mostWebhooks) {
      return webhookLimitReached({ message: `An organization can have ${mostWebhooks} webhooks. Delete one first.` });
    }
    const sealedSecret = secrets.seal(secret, webhookSecretContext(id));
    await insertWebhook(transaction, orgId, { ...webhook, sealedSecret });
    const record = { action: 'CREATE', resourceKind: 'WEBHOOK', resourceId: id, orgId, userId } as const;
    await recordAudit(transaction, context, now, { ...record, note: `${url.host}: ${body.events.join(', ')}` });
    return { status: 201, body: { secret, webhook: webhookOf(webhook) } };
  });
};

export const deleteWebhook: DeleteWebhookHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId, user_id: userId } = principal;
  const id = params.webhook_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DeleteWebhookReply> => {
    const url = await removeWebhook(transaction, orgId, id);
    if (url === null) return noSuchWebhook();
    const record = { action: 'DELETE', resourceKind: 'WEBHOOK', resourceId: id, orgId, userId } as const;
    await recordAudit(transaction, context, clock.now(), { ...record, note: new URL(url).host });
    return { status: 204 };
  });
};

export const listWebhookDeliveries: ListWebhookDeliveriesHandler<PlatformDependencies> = async (
  { params, query, principal },
  { sql },
) => {
  if (!(await hasWebhook(sql, principal.org_id, params.webhook_id))) return noSuchWebhook();
  return replyWithPage(query, {
    select: (position, limit) => selectDeliveries(sql, params.webhook_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: deliveryOf,
  });
};

export const resendWebhookDelivery: ResendWebhookDeliveryHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const key = { orgId, webhookId: params.webhook_id, id: params.delivery_id };
  return sql.begin(async (transaction): Promise<ResendWebhookDeliveryReply> => {
    const row = await restartDelivery(transaction, key, now);
    if (row === null) return webhookDeliveryNotFound({ message: 'There is no such delivery, or it was accepted.' });
    const resourceId = params.webhook_id.toLowerCase();
    const record = { action: 'WEBHOOK_RESENT', resourceKind: 'WEBHOOK', resourceId, orgId, userId } as const;
    await recordAudit(transaction, context, now, { ...record, note: row.event });
    return { status: 202, body: deliveryOf(row) };
  });
};

function faultOfWebhookUrl(text: string, networks: readonly string[]): string | null {
  const fault = faultOfTargetUrl(text, networks, 'the signature authenticates the server');
  if (fault !== null) return fault;
  return new URL(text).href.includes('#') ? 'must not contain a fragment (#); it would not be sent' : null;
}

function noSuchWebhook(): WebhookNotFound {
  return webhookNotFound({ message: 'The organization has no such webhook.' });
}

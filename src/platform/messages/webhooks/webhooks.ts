import type {
  CreateWebhookHandler,
  CreateWebhookReply,
  DeleteWebhookHandler,
  DeleteWebhookReply,
  ListAcceptedWebhookDeliveriesHandler,
  ListWebhookDeliveriesHandler,
  ListWebhooksHandler,
  ResendWebhookDeliveryHandler,
  ResendWebhookDeliveryReply,
  RotateWebhookSecretHandler,
  RotateWebhookSecretReply,
  UpdateWebhookHandler,
  UpdateWebhookReply,
} from '../../../../generated/platform/operations.js';
import {
  webhookDeliveryNotFound,
  webhookLimitReached,
  webhookNotFound,
  type WebhookNotFound,
} from '../../../../generated/problems.js';
import { validationProblem, type Violation } from '@plumbline/contract/violations';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { after } from '../../clock.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { faultOfTargetUrl } from '../../sources/integrations/base-url.js';
import { refuseFormerAdmin } from '../../tenancy/organizations/member-to-manage.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import { replyWithPage } from '../../server/paging.js';
import type { Random } from '../../random.js';
import {
  acceptedDeliveryOf,
  deliveryOf,
  giveUpOldDeliveries,
  restartDelivery,
  selectAcceptedDeliveries,
  selectDeliveries,
  type Outdated,
} from './deliveries.store.js';
import {
  changeWebhook,
  countWebhooks,
  hasWebhook,
  insertWebhook,
  lockActivity,
  mostPreviousSecrets,
  removeWebhook,
  replaceSecret,
  selectWebhooks,
  webhookOf,
  webhookSecretContext,
  type TooManySecrets,
} from './webhooks.store.js';

const mostWebhooks = 10;
/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

export const listWebhooks: ListWebhooksHandler<PlatformDependencies> = ({ query, principal }, { sql, clock }) =>
  replyWithPage(query, {
    select: (position, limit) => selectWebhooks(sql, principal.org_id, position, limit, clock.now()),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: webhookOf,
  });

export const createWebhook: CreateWebhookHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random, secrets, settings },
) => {
  const read = readUrl(body.url, settings.integrationNetworks);
  if ('violation' in read) return validationProblem([read.violation]);

  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = random.uuid();
  const secret = newSecret(random);
  const { url } = read;
  const description = body.description ?? null;
  const webhook = { id, url: url.href, events: body.events, description, created_by: actor.userId };
  return sql.begin(async (transaction): Promise<CreateWebhookReply> => {
    await lockOrganization(transaction, orgId); // concurrent requests must not exceed the limit together
    const refusal = 'user_id' in principal ? await refuseFormerAdmin(transaction, principal) : null;
    if (refusal !== null) return refusal;
    if ((await countWebhooks(transaction, orgId)) >= mostWebhooks) {
      return webhookLimitReached({ message: `An organization can have ${mostWebhooks} webhooks. Delete one first.` });
    }
    const sealedSecret = secrets.seal(secret, webhookSecretContext(id));
    const row = await insertWebhook(transaction, orgId, { ...webhook, sealedSecret }, now);
    const record = { action: 'CREATE', resourceKind: 'WEBHOOK', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, { ...record, note: `${url.host}: ${body.events.join(', ')}` });
    return { status: 201, body: { secret, webhook: webhookOf(row) } };
  });
};

export const updateWebhook: UpdateWebhookHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock, settings },
) => {
  const read = body.url === undefined ? null : readUrl(body.url, settings.integrationNetworks);
  if (read !== null && 'violation' in read) return validationProblem([read.violation]);
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.webhook_id.toLowerCase();
  const { events, description, is_active: isActive } = body;
  return sql.begin(async (transaction): Promise<UpdateWebhookReply> => {
    const wasActive = await lockActivity(transaction, orgId, id);
    if (wasActive === null) return noSuchWebhook();
    if (!wasActive && isActive === true) await giveUpOldDeliveries(transaction, id, inactivity(now), now);
    const change = { url: read?.url.href, events, description, isActive };
    const row = await changeWebhook(transaction, orgId, id, change, now);
    const record = { action: 'UPDATE', resourceKind: 'WEBHOOK', resourceId: id, orgId, ...actor } as const;
    const changed = Object.keys(body).sort().join(', ');
    const note = read === null ? changed : `${changed}: ${read.url.host}`;
    await recordAudit(transaction, context, now, { ...record, note });
    return { status: 200, body: webhookOf(row) };
  });
};

export const rotateWebhookSecret: RotateWebhookSecretHandler<PlatformDependencies> = async (
  { params, body, principal, context },
  { sql, clock, random, secrets },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.webhook_id.toLowerCase();
  const secret = newSecret(random);
  const sealedSecret = secrets.seal(secret, webhookSecretContext(id));
  const { overlap_seconds: overlap } = body;
  return sql.begin(async (transaction): Promise<RotateWebhookSecretReply> => {
    const replacement = { sealedSecret, previousUntil: overlap === 0 ? null : after(now, overlap) };
    const row = await replaceSecret(transaction, orgId, id, replacement, now);
    if (row === null) return noSuchWebhook();
    if ('until' in row) return validationProblem([tooManySecrets(row)]);
    const record = { action: 'WEBHOOK_SECRET_ROTATED', resourceKind: 'WEBHOOK', resourceId: id, orgId } as const;
    await recordAudit(transaction, context, now, { ...record, ...actor, note: `overlap of ${overlap} s` });
    return { status: 200, body: { secret, webhook: webhookOf(row) } };
  });
};

export const deleteWebhook: DeleteWebhookHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = params.webhook_id.toLowerCase();
  return sql.begin(async (transaction): Promise<DeleteWebhookReply> => {
    // The audit record locks the other webhooks, so two that are deleted at once could wait for each other.
    await lockOrganization(transaction, orgId);
    const url = await removeWebhook(transaction, orgId, id);
    if (url === null) return noSuchWebhook();
    const record = { action: 'DELETE', resourceKind: 'WEBHOOK', resourceId: id, orgId, ...actor } as const;
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

export const listAcceptedWebhookDeliveries: ListAcceptedWebhookDeliveriesHandler<PlatformDependencies> = async (
  { params, query, principal },
  { sql },
) => {
  if (!(await hasWebhook(sql, principal.org_id, params.webhook_id))) return noSuchWebhook();
  return replyWithPage(query, {
    select: (position, limit) => selectAcceptedDeliveries(sql, params.webhook_id, position, limit),
    positionOf: (row) => ({ at: row.accepted_at, id: row.id }),
    itemOf: acceptedDeliveryOf,
  });
};

export const resendWebhookDelivery: ResendWebhookDeliveryHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock },
) => {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const key = { orgId, webhookId: params.webhook_id, id: params.delivery_id };
  return sql.begin(async (transaction): Promise<ResendWebhookDeliveryReply> => {
    const row = await restartDelivery(transaction, key, now);
    if (row === null) return webhookDeliveryNotFound({ message: 'There is no such delivery, or it was accepted.' });
    const resourceId = params.webhook_id.toLowerCase();
    const record = { action: 'WEBHOOK_RESENT', resourceKind: 'WEBHOOK', resourceId, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, { ...record, note: row.event });
    return { status: 202, body: deliveryOf(row) };
  });
};

/** What was outstanding when a webhook was deactivated is sent late, but not as late as no retry would be. */
function inactivity(now: Date): Outdated {
  return { dueBefore: after(now, -86_400), error: 'The webhook was inactive for more than a day.' };
}

function newSecret(random: Random): string {
  return `whsec_${random.bytes(secretBytes).toString('base64')}`;
}

/** Reads the URL of a webhook. It percent-encodes what would make a list show another URL, such as U+202E. */
function readUrl(text: string, networks: readonly string[]): { readonly url: URL } | { readonly violation: Violation } {
  const message = faultOfTargetUrl(text, networks, 'the signature authenticates the server') ?? faultOfFragment(text);
  return message === null ? { url: new URL(text) } : { violation: { path: '/body/url', rule: 'format', message } };
}

function tooManySecrets({ until }: TooManySecrets): Violation {
  const message =
    `must be 0, which ends all previous secrets: ${mostPreviousSecrets} previous secrets still sign, the first until ` +
    until.toISOString();
  return { path: '/body/overlap_seconds', rule: 'maximum', message };
}

function faultOfFragment(text: string): string | null {
  return new URL(text).href.includes('#') ? 'must not contain a fragment (#); it would not be sent' : null;
}

function noSuchWebhook(): WebhookNotFound {
  return webhookNotFound({ message: 'The organization has no such webhook.' });
}

import { unwrap } from '@plumbline/sdk';
import {
  listAcceptedWebhookDeliveries,
  listThresholds,
  listWebhookDeliveries,
  listWebhooks,
  type Schemas,
} from '@plumbline/sdk/platform';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/preact-query';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { usePaged } from '../ui/paged.js';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['WebhookDelivery'];
export type Threshold = Schemas['Threshold'];

const pageSize = 50;

/** The webhooks of an organization, the newest first. */
export function useWebhooks(orgId: string): UseInfiniteQueryResult<InfiniteData<Schemas['WebhookPage']>> {
  return usePaged({
    queryKey: ['webhooks', orgId],
    pageSize,
    load: async (query, signal) => unwrap(await listWebhooks(platform, { signal, params: { org_id: orgId }, query })),
  });
}

/** What the URL of a webhook has not accepted, the newest first. */
export function useDeliveries(
  orgId: string,
  webhookId: string,
): UseInfiniteQueryResult<InfiniteData<Schemas['WebhookDeliveryPage']>> {
  const params = { org_id: orgId, webhook_id: webhookId };
  return usePaged({
    queryKey: ['webhook-deliveries', orgId, webhookId],
    pageSize,
    load: async (query, signal) => unwrap(await listWebhookDeliveries(platform, { signal, params, query })),
  });
}

/** What the URL of a webhook has accepted in the last days, the one accepted last first. */
export function useAcceptedDeliveries(
  orgId: string,
  webhookId: string,
): UseInfiniteQueryResult<InfiniteData<Schemas['AcceptedDeliveryPage']>> {
  const params = { org_id: orgId, webhook_id: webhookId };
  return usePaged({
    queryKey: ['webhook-deliveries', orgId, webhookId, 'accepted'],
    pageSize,
    load: async (query, signal) => unwrap(await listAcceptedWebhookDeliveries(platform, { signal, params, query })),
  });
}

/** The thresholds of an organization, the newest first. */
export function useThresholds(orgId: string): UseInfiniteQueryResult<InfiniteData<Schemas['ThresholdPage']>> {
  return usePaged({
    queryKey: ['thresholds', orgId],
    pageSize,
    load: async (query, signal) => unwrap(await listThresholds(platform, { signal, params: { org_id: orgId }, query })),
  });
}

/** Asks for the webhooks again, after a change. */
export async function refreshWebhooks(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['webhooks'] });
}

/** Asks for the deliveries again. */
export async function refreshDeliveries(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['webhook-deliveries'] });
}

/** Asks for the thresholds again, after a change. */
export async function refreshThresholds(): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['thresholds'] });
}

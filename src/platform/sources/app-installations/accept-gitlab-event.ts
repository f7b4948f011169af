import { createHash } from 'node:crypto';
import { isUuid } from '@plumbline/contract/system/uuid';
import type { AcceptGitlabEventHandler } from '../../../../generated/platform/operations.js';
import { appNotConfigured, invalidWebhookSignature } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { propertyOf } from '../../server/json-values.js';
import { selectConfigsOfGitlab } from '../sync-runs/requested-syncs.store.js';
import { insertHostEvent } from './app-installations.store.js';
import { isFromGitlab } from './gitlab-authenticity.js';
import { isOfDefaultBranch, requestCovered } from './request-covered.js';

export const acceptGitlabEvent: AcceptGitlabEventHandler<PlatformDependencies> = async (
  { headers, body, ctx },
  { sql, clock, hostApps: { host_b: app }, syncJobs },
) => {
  if (app?.webhookSecret == null) {
    return appNotConfigured({ message: 'This server accepts no events of GitLab.' });
  }
  const now = clock.now();
  // Each character is one byte.
  const text = Buffer.from(ctx.request.rawBody ?? '', 'latin1').toString('utf8');
  if (!isFromGitlab(text, headers, app.webhookSecret, now)) {
    return invalidWebhookSignature({ message: 'The secret token or the signature is missing or wrong.' });
  }
  const project = changedProject(body);
  if (project === null) return { status: 200, body: { outcome: 'ignored' } };
  const url = app.baseUrl ?? 'https://gitlab.com';
  const deliveryId = deliveryIdOf(headers, ctx.request.headers['idempotency-key'], text);
  const outcome = await sql.begin(async (transaction) => {
    if (!(await insertHostEvent(transaction, deliveryId, now))) return 'repeated';
    const configs = await selectConfigsOfGitlab(transaction, url);
    return (await requestCovered(transaction, configs, [project], now)) ? 'accepted' : 'ignored';
  });
  if (outcome === 'accepted') syncJobs.wake();
  return { status: 200, body: { outcome } };
};

/**
 * What tells a repeated delivery: the signed id, or the key of newer GitLabs. Without both it is the id of the event with the
 * body, because events that the handler of a webhook causes have the id of the first event
 * (https://docs.gitlab.com/user/project/integrations/webhooks/#delivery-headers).
 *
 * @param key the header `Idempotency-Key`, which the contract keeps for calls with a caller
 * @returns a UUID
 */
function deliveryIdOf(headers: DeliveryHeaders, key: unknown, text: string): string {
  const { 'webhook-id': signedId, 'x-gitlab-event-uuid': eventId = '' } = headers;
  if (isUuid(signedId)) return signedId;
  if (isUuid(key)) return key;
  return createHash('sha256').update(eventId.toLowerCase()).update(text).digest('hex').slice(0, 32);
}

interface DeliveryHeaders {
  readonly 'webhook-id'?: string | undefined;
  /** The contract demands it. */
  readonly 'x-gitlab-event-uuid'?: string | undefined;
}

/** The path of the project whose data an event has changed; null: it has changed none that is read. */
function changedProject(body: unknown): string | null {
  const project = propertyOf(body, 'project');
  const path = propertyOf(project, 'path_with_namespace');
  const kind = propertyOf(body, 'object_kind');
  const isRead =
    kind === 'merge_request' || kind === 'deployment' || (kind === 'push' && isOfDefaultBranch(body, project));
  // A group can have groups.
  return isRead && typeof path === 'string' && /^[^/\s]{1,255}(?:\/[^/\s]{1,255}){1,20}$/.test(path) ? path : null;
}

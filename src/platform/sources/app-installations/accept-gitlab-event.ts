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
  // The contract demands the second.
  const { 'webhook-id': repeatedId, 'x-gitlab-event-uuid': eventId = '' } = headers;
  const deliveryId = isUuid(repeatedId) ? repeatedId : eventId;
  const outcome = await sql.begin(async (transaction) => {
    if (!(await insertHostEvent(transaction, deliveryId, now))) return 'repeated';
    const configs = await selectConfigsOfGitlab(transaction, url);
    return (await requestCovered(transaction, configs, [project], now)) ? 'accepted' : 'ignored';
  });
  if (outcome === 'accepted') syncJobs.wake();
  return { status: 200, body: { outcome } };
};

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

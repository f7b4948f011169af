import { createHmac } from 'node:crypto';
import type { AcceptHostEventHandler, AcceptHostEventReply } from '../../../../generated/platform/operations.js';
import { codeHostFailed, invalidWebhookSignature } from '../../../../generated/problems.js';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { propertyOf } from '../../server/json-values.js';
import { isSameSecret } from '../../server/secrets/same-secret.js';
import type { InactiveReason } from '../integrations/integrations.store.js';
import { selectConfigsOfHost } from '../sync-runs/requested-syncs.store.js';
import { findByInstallation, insertHostEvent, noteActivity } from './app-installations.store.js';
import { installationIdIn } from './github-client.js';
import type { GithubApp } from './github-app.js';
import { noApp } from './no-app.js';
import { isOfDefaultBranch, requestCovered } from './request-covered.js';

export const acceptHostEvent: AcceptHostEventHandler<PlatformDependencies> = async (
  { headers, body, ctx },
  { sql, clock, hostApps: { host_a: hostApp }, syncJobs },
) => {
  if (hostApp === null) return noApp();
  // The contract demands the first two.
  const { 'x-github-event': event = '', 'x-github-delivery': deliveryId = '' } = headers;
  // Each character is one byte.
  const bytes = Buffer.from(ctx.request.rawBody ?? '', 'latin1');
  if (!isSigned(bytes, headers['x-hub-signature-256'], hostApp.webhookSecret)) {
    return invalidWebhookSignature({ message: 'The signature is missing or wrong.' });
  }
  const installationId = installationIdIn(propertyOf(body, 'installation'));
  if (installationId === null) return receipt('ignored');
  const now = clock.now();
  const apply = await effectOf(event, body, installationId, hostApp, now);
  if (apply === null) return receipt('ignored');
  if ('problem' in apply) return apply.problem;
  const outcome = await sql.begin(async (transaction) => {
    if (!(await insertHostEvent(transaction, deliveryId, now))) return 'repeated';
    return (await apply.store(transaction)) ? 'accepted' : 'ignored';
  });
  if (outcome === 'accepted') syncJobs.wake();
  return receipt(outcome);
};

type Outcome = 'accepted' | 'ignored' | 'repeated';

function receipt(outcome: Outcome): Extract<AcceptHostEventReply, { readonly status: 200 }> {
  return { status: 200, body: { outcome } };
}

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
function isSigned(bytes: Buffer, signature: string | undefined, secret: string): boolean {
  return isSameSecret(signature ?? '', `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
}

/** What an event changes. `store` is called in a transaction; its result is whether anything here is concerned. */
type Effect =
  { readonly store: (sql: Sql) => Promise<boolean> } | { readonly problem: ReturnType<typeof codeHostFailed> };

/** @returns null: nothing */
async function effectOf(
  event: string,
  body: unknown,
  installationId: string,
  host: GithubApp,
  now: Date,
): Promise<Effect | null> {
  if (event === 'installation') {
    const state = await stateOf(host, installationId);
    if (state === 'unknown') {
      return {
        problem: codeHostFailed({ message: 'The state of the installation cannot be read from the code host.' }),
      };
    }
    return { store: (sql) => noteActivity(sql, { installationId }, state, now) };
  }
  const repositories = changedRepositories(event, body);
  if (repositories.length === 0) return null;
  return { store: (sql) => requestSyncs(sql, installationId, repositories, now) };
}

/** Events may come late and in another order, so the host is asked what is true now. */
async function stateOf(host: GithubApp, installationId: string): Promise<InactiveReason | 'unknown' | null> {
  const answer = await host.readInstallation(installationId);
  if ('value' in answer) return answer.value.isSuspended ? 'suspended' : null;
  return answer.refusal === 'removed' ? 'removed' : 'unknown';
}

/** The full names of the repositories whose data an event has changed. */
function changedRepositories(event: string, body: unknown): string[] {
  switch (event) {
    case 'push':
      return isOfDefaultBranch(body, propertyOf(body, 'repository')) ? namesIn([propertyOf(body, 'repository')]) : [];
    case 'pull_request':
    case 'deployment':
      return namesIn([propertyOf(body, 'repository')]);
    case 'installation_repositories': {
      const added = propertyOf(body, 'repositories_added');
      return Array.isArray(added) ? namesIn(added) : [];
    }
    default:
      return [];
  }
}

function namesIn(repositories: readonly unknown[]): string[] {
  return repositories
    .map((repository) => propertyOf(repository, 'full_name'))
    .filter((name): name is string => typeof name === 'string' && /^[^/\s]{1,100}\/[^/\s]{1,100}$/.test(name));
}

/** Requests a sync of repositories by each configuration of the connected organization that covers them. */
async function requestSyncs(
  sql: Sql,
  installationId: string,
  repositories: readonly string[],
  now: Date,
): Promise<boolean> {
  const integration = await findByInstallation(sql, installationId);
  if (integration === null) return false;
  const { org_id: orgId, base_url: baseUrl } = integration;
  return requestCovered(sql, await selectConfigsOfHost(sql, orgId, baseUrl), repositories, now);
}

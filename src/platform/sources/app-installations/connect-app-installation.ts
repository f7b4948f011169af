import type {
  ConnectAppInstallationHandler,
  ConnectAppInstallationReply,
  Schemas,
} from '../../../../generated/platform/operations.js';
import {
  installationClaimed,
  integrationExists,
  invalidInstallationState,
  tooManyIntegrations,
} from '../../../../generated/problems.js';
import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { hashToken } from '../../identity/tokens/token-hash.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import {
  findIntegration,
  insertIntegration,
  integrationOf,
  lockNumberOfIntegrations,
  secretContext,
  type IntegrationRow,
} from '../integrations/integrations.store.js';
import { activate, findByInstallation, findRemoved, takeStart } from './app-installations.store.js';
import { noApp } from './no-app.js';
import { usableInstallation, type UsableInstallation } from './usable-installation.js';

/** Asks the code host outside any transaction, because the host may be slow. The state is used up before. */
export const connectAppInstallation: ConnectAppInstallationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, hostApp } = dependencies;
  if (hostApp === null) return noApp();
  const start = await takeStart(sql, hashToken(body.state), clock.now());
  if (
    start === null ||
    start.sessionId !== principal.session_id ||
    start.userId !== principal.user_id ||
    start.orgId !== principal.org_id
  ) {
    const message = 'The visit to the code host has ended, or began in another session. Begin again.';
    return invalidInstallationState({ message });
  }
  const { returnTo, account } = start;
  if (body.setup_action === 'request') {
    return { status: 200, body: { outcome: 'requested', return_to: returnTo, integration: null } };
  }
  const wanted = account === null ? { id: body.installation_id } : { account };
  const found = await usableInstallation(hostApp, body.code, wanted);
  if ('problem' in found) return found.problem;
  const { baseUrl } = hostApp.identity;
  return sql.begin(async (transaction): Promise<ConnectAppInstallationReply> => {
    const stored = await store(transaction, { ...found.usable, baseUrl }, principal, context, dependencies);
    if ('problem' in stored) return stored.problem;
    const integration = integrationOf(stored.row);
    return { status: 200, body: { outcome: 'connected', return_to: returnTo, integration } };
  });
};

type Refusal =
  | ReturnType<typeof installationClaimed>
  | ReturnType<typeof tooManyIntegrations>
  | ReturnType<typeof integrationExists>;

/** Makes the installation an integration of the caller's organization, or makes one that exists active again. */
async function store(
  sql: Sql,
  { installation, token, baseUrl }: UsableInstallation & { readonly baseUrl: string | null },
  principal: Schemas['MemberPrincipal'],
  context: RequestContext,
  { clock, random, secrets, settings }: Pick<PlatformDependencies, 'clock' | 'random' | 'secrets' | 'settings'>,
): Promise<{ readonly row: IntegrationRow } | { readonly problem: Refusal }> {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const { id: installationId, account } = installation;
  const actor = actorOf(principal);
  const audit = (action: 'CREATE' | 'UPDATE', id: string): Promise<void> => {
    const record = { action, resourceKind: 'INTEGRATION', resourceId: id, orgId, ...actor } as const;
    return recordAudit(sql, context, now, { ...record, note: `host_a app ${account}` });
  };
  const count = await lockNumberOfIntegrations(sql, orgId);
  const connected = await findByInstallation(sql, installationId);
  if (connected !== null && connected.org_id !== orgId) return { problem: claimed() };
  const existing = connected?.id ?? (await findRemoved(sql, orgId, account));
  if (existing !== null) {
    const sealedToken = secrets.seal(token.token, secretContext(existing));
    const active = { id: existing, orgId, installationId, sealedToken, tokenExpiresAt: token.expiresAt };
    await activate(sql, active, now);
    const row = await findIntegration(sql, orgId, existing);
    if (row !== null) {
      await audit('UPDATE', existing);
      return { row };
    }
  }
  const most = settings.integrationsPerOrganization;
  if (count >= most) {
    const message = `The organization has ${most} integrations, which is the maximum. Disconnect one first.`;
    return { problem: tooManyIntegrations({ message }) };
  }
  const id = random.uuid();
  const sealedToken = secrets.seal(token.token, secretContext(id));
  const app = { installationId, account, tokenExpiresAt: token.expiresAt };
  // A token may have been connected under the name of the account before.
  for (const name of [account, `${account} (app)`]) {
    const integration = {
      id,
      orgId,
      provider: 'host_a',
      name,
      baseUrl,
      sealedToken,
      createdBy: actor.userId,
      app,
    } as const;
    const row = await insertIntegration(sql, integration, now);
    if (row === null) continue;
    await audit('CREATE', id);
    return { row };
  }
  // Another organization may have connected the installation in the meantime.
  if ((await findByInstallation(sql, installationId)) !== null) return { problem: claimed() };
  const message = `The organization has integrations named ${account} and ${account} (app). Disconnect one first.`;
  return { problem: integrationExists({ message }) };
}

function claimed(): ReturnType<typeof installationClaimed> {
  const message = 'Another organization of this server uses this installation. Disconnect it there first.';
  return installationClaimed({ message });
}

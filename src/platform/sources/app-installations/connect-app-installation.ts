import type { ConnectAppInstallationHandler, Schemas } from '../../../../generated/platform/operations.js';
import {
  installationClaimed,
  integrationExists,
  invalidInstallationState,
  tooManyIntegrations,
  type InsufficientRole,
} from '../../../../generated/problems.js';
import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { openOrLog } from '../../server/secrets/secret-box.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { hashToken } from '../../identity/tokens/token-hash.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refuseFormerAdmin } from '../../tenancy/organizations/member-to-manage.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import {
  findIntegration,
  insertIntegration,
  integrationOf,
  lockNumberOfIntegrations,
  type IntegrationRow,
} from '../integrations/integrations.store.js';
import { activate, findByInstallation, findContinued, takeStart, verifierContext } from './app-installations.store.js';
import type { ConnectableAccount, HostApp } from './host-app.js';
import { sealAccess } from './installation-tokens.js';
import { noApp } from './no-app.js';

/** Asks the code host outside any transaction, because the host may be slow. The state is used up before. */
export const connectAppInstallation: ConnectAppInstallationHandler<PlatformDependencies> = async (
  { body, principal, context },
  dependencies,
) => {
  const { sql, clock, hostApps, secrets, log } = dependencies;
  const hostApp = hostApps[body.provider ?? 'host_a'];
  if (hostApp === null) return noApp();
  const { state } = body;
  const stateHash = hashToken(state);
  const start = await takeStart(sql, stateHash, clock.now());
  if (
    start === null ||
    start.provider !== hostApp.provider ||
    start.sessionId !== principal.session_id ||
    start.userId !== principal.user_id ||
    start.orgId !== principal.org_id
  ) {
    return endedVisit();
  }
  const { returnTo, account, verifierSealed } = start;
  if (body.setup_action === 'request') {
    return { status: 200, body: { outcome: 'requested', return_to: returnTo, integration: null } };
  }
  const verifier = openOrLog({ secrets, log }, verifierSealed, verifierContext(stateHash));
  if (verifier === null) return endedVisit();
  const callback = { state, verifier, account, code: body.code, installationId: body.installation_id };
  const found = await hostApp.connect(callback);
  if ('problem' in found) return found.problem;
  const stored = await sql.begin((transaction) =>
    store(transaction, found.account, hostApp, principal, context, dependencies),
  );
  if ('problem' in stored) {
    await hostApp.revoke(found.account.access);
    return stored.problem;
  }
  const integration = integrationOf(stored.row);
  return { status: 200, body: { outcome: 'connected', return_to: returnTo, integration } };
};

type Refusal =
  | InsufficientRole
  | ReturnType<typeof installationClaimed>
  | ReturnType<typeof tooManyIntegrations>
  | ReturnType<typeof integrationExists>;

/** Makes the account an integration of the caller's organization, or makes one that exists active again. */
async function store(
  sql: Sql,
  { installationId, account, access }: ConnectableAccount,
  hostApp: HostApp,
  principal: Schemas['MemberPrincipal'],
  context: RequestContext,
  { clock, random, secrets, settings }: Pick<PlatformDependencies, 'clock' | 'random' | 'secrets' | 'settings'>,
): Promise<{ readonly row: IntegrationRow } | { readonly problem: Refusal }> {
  const now = clock.now();
  const { org_id: orgId } = principal;
  const { provider, baseUrl } = hostApp;
  const actor = actorOf(principal);
  const audit = (action: 'CREATE' | 'UPDATE', id: string): Promise<void> => {
    const record = { action, resourceKind: 'INTEGRATION', resourceId: id, orgId, ...actor } as const;
    return recordAudit(sql, context, now, { ...record, note: `${provider} app ${account}` });
  };
  await lockOrganization(sql, orgId);
  const refusal = await refuseFormerAdmin(sql, principal);
  if (refusal !== null) return { problem: refusal };
  const count = await lockNumberOfIntegrations(sql, orgId);
  const connected = installationId === null ? null : await findByInstallation(sql, installationId);
  if (connected !== null && connected.org_id !== orgId) return { problem: claimed() };
  const existing = connected?.id ?? (await findContinued(sql, orgId, hostApp, account));
  if (existing !== null) {
    await activate(sql, { id: existing, orgId, installationId }, sealAccess(secrets, existing, access), now);
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
  const { sealedToken, ...sealed } = sealAccess(secrets, id, access);
  const app = { installationId, account, ...sealed };
  // A token may have been connected under the name of the account before.
  for (const name of [account, `${account} (app)`]) {
    const integration = { id, orgId, provider, name, baseUrl, sealedToken, createdBy: actor.userId, app };
    const row = await insertIntegration(sql, integration, now);
    if (row === null) continue;
    await audit('CREATE', id);
    return { row };
  }
  // Another organization may have connected the installation in the meantime.
  if (installationId !== null && (await findByInstallation(sql, installationId)) !== null) {
    return { problem: claimed() };
  }
  const message = `The organization has integrations named ${account} and ${account} (app). Disconnect one first.`;
  return { problem: integrationExists({ message }) };
}

function claimed(): ReturnType<typeof installationClaimed> {
  const message = 'Another organization of this server uses this installation. Disconnect it there first.';
  return installationClaimed({ message });
}

function endedVisit(): ReturnType<typeof invalidInstallationState> {
  const message = 'The visit to the code host has ended, or began in another session. Begin again.';
  return invalidInstallationState({ message });
}

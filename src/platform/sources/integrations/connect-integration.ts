import type { ConnectIntegrationHandler, ConnectIntegrationReply } from '../../../../generated/platform/operations.js';
import { integrationExists, tooManyIntegrations } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import { codeHostOf } from '../../../sync/providers/registry.js';
import { refusalOfOldActor } from '../../identity/mfa/fresh-proof.js';
import { actorOf } from '../../identity/accounts/actor.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refuseFormerAdmin } from '../../tenancy/organizations/member-to-manage.js';
import { lockOrganization } from '../../tenancy/organizations/members.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { faultOfBaseUrl } from './base-url.js';
import { insertIntegration, integrationOf, lockNumberOfIntegrations, secretContext } from './integrations.store.js';

export const connectIntegration: ConnectIntegrationHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random, secrets, settings },
) => {
  const stale = await refusalOfOldActor(sql, principal, clock.now());
  if (stale !== null) return stale;
  const baseUrl = body.base_url ?? null;
  if (baseUrl === null && codeHostOf(body.provider).publicUrl === null) {
    const message = `is required for ${body.provider}, which has no public installation`;
    return validationProblem([{ path: '/body/base_url', rule: 'required', message }]);
  }
  const fault = baseUrl === null ? null : faultOfBaseUrl(baseUrl, settings.integrationNetworks);
  if (fault !== null) return validationProblem([{ path: '/body/base_url', rule: 'format', message: fault }]);

  const now = clock.now();
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const id = random.uuid();
  const integration = {
    id,
    orgId,
    provider: body.provider,
    name: body.name.trim(),
    baseUrl,
    sealedToken: secrets.seal(body.token, secretContext(id)),
    createdBy: actor.userId,
  };
  const most = settings.integrationsPerOrganization;
  return sql.begin(async (transaction): Promise<ConnectIntegrationReply> => {
    await lockOrganization(transaction, orgId);
    const refusal = 'user_id' in principal ? await refuseFormerAdmin(transaction, principal) : null;
    if (refusal !== null) return refusal;
    if ((await lockNumberOfIntegrations(transaction, orgId)) >= most) {
      return tooManyIntegrations({
        message: `The organization has ${most} integrations, which is the maximum. Disconnect one first.`,
      });
    }
    const inserted = await insertIntegration(transaction, integration, now);
    if (inserted === null) {
      return integrationExists({
        message: 'An integration with this provider and name already exists. Choose another name.',
      });
    }
    const record = { action: 'CREATE', resourceKind: 'INTEGRATION', resourceId: id, orgId, ...actor } as const;
    await recordAudit(transaction, context, now, { ...record, note: body.provider });
    return { status: 201, body: integrationOf(inserted) };
  });
};

import type { ConnectIntegrationHandler } from '../../../generated/platform/operations.js';
import { integrationExists } from '../../../generated/problems.js';
import { validationProblem } from '../../contract/violations.js';
import { recordAudit } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../dependencies.js';
import { faultOfBaseUrl } from './base-url.js';
import { insertIntegration, integrationOf, secretContext } from './integrations.store.js';

export const connectIntegration: ConnectIntegrationHandler<PlatformDependencies> = async (
  { body, principal, context },
  { sql, clock, random, secrets, settings },
) => {
  const baseUrl = body.base_url ?? null;
  const fault = baseUrl === null ? null : faultOfBaseUrl(baseUrl, settings.integrationNetworks);
  if (fault !== null) return validationProblem([{ path: '/body/base_url', rule: 'format', message: fault }]);

  const now = clock.now();
  const { org_id: orgId, user_id: userId } = principal;
  const id = random.uuid();
  const integration = {
    id,
    orgId,
    provider: body.provider,
    name: body.name.trim(),
    baseUrl,
    sealedToken: secrets.seal(body.token, secretContext(id)),
    createdBy: userId,
  };
  const row = await sql.begin(async (transaction) => {
    const inserted = await insertIntegration(transaction, integration, now);
    if (inserted === null) return null;
    const record = { action: 'CREATE', resourceKind: 'INTEGRATION', resourceId: id, orgId, userId } as const;
    await recordAudit(transaction, context, now, { ...record, note: body.provider });
    return inserted;
  });
  if (row === null) {
    return integrationExists({
      message: 'An integration with this provider and name already exists. Choose another name.',
    });
  }
  return { status: 201, body: integrationOf(row) };
};

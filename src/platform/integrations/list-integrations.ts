import type { ListIntegrationsHandler } from '../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../dependencies.js';
import { integrationOf, selectIntegrations } from './integrations.store.js';

export const listIntegrations: ListIntegrationsHandler<PlatformDependencies> = async ({ principal }, { sql }) => {
  const rows = await selectIntegrations(sql, principal.org_id);
  return { status: 200, body: { items: rows.map(integrationOf) } };
};

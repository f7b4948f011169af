import type { ListIntegrationsHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { integrationOf, selectIntegrations } from './integrations.store.js';

export const listIntegrations: ListIntegrationsHandler<PlatformDependencies> = ({ query, principal }, { sql }) =>
  replyWithPage(query, {
    select: (position, limit) => selectIntegrations(sql, principal.org_id, position, limit),
    positionOf: (row) => ({ at: row.created_at, id: row.id }),
    itemOf: integrationOf,
  });

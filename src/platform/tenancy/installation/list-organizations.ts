import type { ListOrganizationsHandler } from '../../../../generated/platform/operations.js';
import { superuserRequired } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { replyWithPage } from '../../server/paging.js';
import { installedOrganizationOf, selectOrganizations } from './installed-organizations.store.js';

export const listOrganizations: ListOrganizationsHandler<PlatformDependencies> = async (
  { query, principal },
  { sql },
) =>
  principal.is_superuser
    ? replyWithPage(query, {
        select: (position, limit) => selectOrganizations(sql, query, position, limit),
        positionOf: (row) => ({ at: row.created_at, id: row.id }),
        itemOf: installedOrganizationOf,
      })
    : superuserRequired({ message: 'Only superusers read the organizations of the installation.' });

import type { GetOrganizationHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { readOrganization } from './organizations.store.js';

export const getOrganization: GetOrganizationHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: await readOrganization(sql, principal.org_id),
});

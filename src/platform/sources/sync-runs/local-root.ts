import type { PlatformSettings } from '../../server/settings.js';

/**
 * The folder whose repositories an organization may read.
 *
 * Only organizations that the operator names may read it: everybody who can register can create an organization.
 *
 * @returns null: none
 */
export function localRootOf(
  orgId: string,
  { syncLocalRoot, syncLocalOrganizations }: Pick<PlatformSettings, 'syncLocalRoot' | 'syncLocalOrganizations'>,
): string | null {
  return syncLocalOrganizations.includes(orgId) ? syncLocalRoot : null;
}

import { updateOutdatedTeams } from '../../identity/scim/group-teams.js';
import { releaseFormerMembers } from '../../identity/sso/sso-teams.js';
import type { PlatformDependencies } from '../../dependencies.js';
import type { ChangingRequest } from './stored-teams.js';

/**
 * Removes former members from the lists of teams to which groups of SSO and SCIM have added them; entries of people stay.
 * Teams can be in another database, so call it after the transaction that has ended a membership. It never fails: what
 * could not be changed is changed after the next end of a membership in the organization.
 */
export async function releaseLeavers(request: ChangingRequest, dependencies: PlatformDependencies): Promise<void> {
  try {
    await releaseFormerMembers(request, dependencies);
    await updateOutdatedTeams(request, dependencies);
  } catch (error) {
    dependencies.log.warn(
      { err: error },
      'former members cannot be removed from teams now; the next removal will retry',
    );
  }
}

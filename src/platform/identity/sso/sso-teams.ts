/** The teams whose lists have the people of groups. Nothing here fails a log-in: what has failed is done by the next one. */
import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { areUpToDate, updateGroupMembers } from '../../tenancy/teams/group-members.js';
import type { ChangingRequest } from '../../tenancy/teams/stored-teams.js';
import { groupsOf } from './groups-of-claims.js';
import type { SsoConnection } from './sso-connections.store.js';
import { findAccountOfIdentity, type SsoIdentity } from './sso-identities.store.js';
import { storedTeamMembers, type ReleasedMembers } from './sso-team-members.store.js';

const note = 'members by groups of SSO';

/** A person waits for the log-in, and while teams are changed, all log-ins to the organization. */
const readTimeoutMs = 3000;

/**
 * Adds somebody who logs in to the teams of the groups, and removes the person from those of other groups. Nothing
 * changes if the groups are unknown.
 */
export async function joinTeams(
  connection: SsoConnection,
  identity: Pick<SsoIdentity, 'connectionId' | 'subject'>,
  { claims, context }: { readonly claims: Readonly<Record<string, unknown>>; readonly context: RequestContext },
  dependencies: PlatformDependencies,
): Promise<void> {
  const groups = groupsOf(connection, claims);
  if (groups === null && connection.groups_claim !== null) {
    const fields = { org_id: connection.org_id, claim: connection.groups_claim };
    dependencies.log.warn(fields, 'the identity provider names no groups; role and teams stay as they are');
    return;
  }
  await orLater(dependencies, async () => {
    const account = await findAccountOfIdentity(dependencies.sql, identity);
    if (account === null) return; // the connection has ended
    const { id: userId, email } = account;
    const orgId = connection.org_id;
    const mapped = connection.group_teams.filter(({ group }) => groups?.has(group));
    const wanted = new Map(mapped.map(({ team_id: teamId }) => [teamId, [email]]));
    const stored = storedTeamMembers({ orgId, userId });
    if (wanted.size === 0 && (await stored.read(dependencies.sql)).size === 0) return;
    const members = { wanted: () => Promise.resolve(wanted), ...stored };
    const parts = { ...dependencies, readTimeoutMs };
    if (await areUpToDate(members, orgId, parts)) return;
    const request = { principal: { org_id: orgId, user_id: userId }, context };
    await updateGroupMembers(members, request, parts, note);
  });
}

/** Removes the addresses that SSO has added from all teams without a group. */
export async function releaseTeams(
  mapped: readonly Pick<Schemas['SsoGroupTeam'], 'team_id'>[],
  request: ChangingRequest,
  dependencies: PlatformDependencies,
): Promise<void> {
  await orLater(dependencies, async () => {
    await release({ except: mapped.map(({ team_id: teamId }) => teamId) }, request, dependencies);
  });
}

/** Removes the addresses of people who are not members any more from the teams to which SSO has added them. */
export async function releaseFormerMembers(
  request: ChangingRequest,
  dependencies: PlatformDependencies,
): Promise<void> {
  await release({ of: 'former members' }, request, dependencies);
}

async function release(
  scope: ReleasedMembers,
  request: ChangingRequest,
  dependencies: PlatformDependencies,
): Promise<void> {
  const stored = storedTeamMembers({ orgId: request.principal.org_id, ...scope });
  if ((await stored.read(dependencies.sql)).size === 0) return;
  await updateGroupMembers({ wanted: () => Promise.resolve(new Map()), ...stored }, request, dependencies, note);
}

async function orLater({ log }: Pick<PlatformDependencies, 'log'>, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    log.warn({ err: error }, 'teams cannot be changed by groups of SSO now; the next log-in will retry');
  });
}

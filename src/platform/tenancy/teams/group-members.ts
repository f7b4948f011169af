/** The addresses that lists of teams have because of groups at an identity provider, beside those that people enter. */
import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../../database/connection.js';
import { MOST_ENTRIES, type Team } from '../../../sync/work-units/teams/teams-file.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { lockOrganization } from '../organizations/members.store.js';
import { changeTeams, readTeams, type ChangingRequest, type TeamStore } from './stored-teams.js';

/** Addresses by the ids of teams. */
export type AddressesByTeam = ReadonlyMap<string, readonly string[]>;

/** What groups decide about lists of teams. */
export interface GroupMembers {
  /** Reads the addresses that the lists should have because of the groups. */
  wanted(sql: Sql): Promise<AddressesByTeam>;
  /** Reads those that they have because of the groups. */
  read(sql: Sql): Promise<AddressesByTeam>;
  /** Replaces what `read` reads. @param isLast whether the lists are up to date with it */
  store(sql: Sql, addresses: AddressesByTeam, isLast: boolean): Promise<void>;
}

export type TeamParts = Pick<PlatformDependencies, 'sql' | 'clock' | 'storeTasks' | 'attempt'> & TeamStore;

/**
 * Whether lists of teams are up to date with groups. It locks nothing, so that a slow store of teams keeps no other
 * request of the organization waiting; what changes meanwhile is found by the next call.
 */
export async function areUpToDate(groups: GroupMembers, orgId: string, parts: TeamParts): Promise<boolean> {
  const teams = await readTeams(parts, orgId);
  const [recorded, wanted] = [await groups.read(parts.sql), await groups.wanted(parts.sql)];
  const { changed, kept } = applyGroups(teams, recorded, wanted);
  return changed.length === 0 && isDeepStrictEqual(pairsOf(kept), pairsOf(recorded));
}

function pairsOf(addresses: AddressesByTeam): ReadonlySet<string> {
  return new Set([...addresses].flatMap(([teamId, emails]) => emails.map((email) => `${teamId} ${email}`)));
}

/**
 * Brings lists of teams up to date with groups. Teams can be in another database, so call it after the transaction that
 * has changed the groups. The addresses are stored as those of the groups before they are added, and again afterwards:
 * if this fails between, the next call completes it. Both times they are read while the organization is locked, because
 * other requests can change the groups at the same time. Entries of people stay, and so does the last entry of a team,
 * which must have one. A team that does not exist any more is left out.
 *
 * @param note what has changed, for the audit log
 */
export async function updateGroupMembers(
  groups: GroupMembers,
  request: ChangingRequest,
  parts: TeamParts,
  note: string,
): Promise<void> {
  const { org_id: orgId } = request.principal;
  const isChanged = await parts.sql.beginFor(orgId, async (transaction) => {
    await lockOrganization(transaction, orgId);
    const [recorded, wanted] = [await groups.read(transaction), await groups.wanted(transaction)];
    const change = applyGroups(await readTeams(parts, orgId), recorded, wanted);
    const needsChange = change.changed.length > 0;
    await groups.store(transaction, needsChange ? change.claimed : change.kept, !needsChange);
    return needsChange;
  });
  if (!isChanged) return;
  await changeTeams(parts, request, async (current, transaction) => {
    const recorded = await groups.read(transaction);
    // What another request wants since then it stores and adds itself.
    const wanted = only(recorded, await groups.wanted(transaction));
    const { teams, changed, kept } = applyGroups(current, recorded, wanted);
    await groups.store(transaction, kept, true);
    if (changed.length === 0) return { refusal: null };
    const resourceId = changed.length === 1 ? (changed[0] ?? null) : null;
    return { teams, audit: { action: 'UPDATE', resourceId, note } };
  });
}

/** The wanted addresses that are recorded. */
function only(recorded: AddressesByTeam, wanted: AddressesByTeam): AddressesByTeam {
  return new Map(
    [...wanted].map(([teamId, addresses]) => [
      teamId,
      addresses.filter((address) => recorded.get(teamId)?.includes(address) === true),
    ]),
  );
}

interface AppliedGroups {
  readonly teams: readonly Team[];
  /** The ids of the teams whose lists are changed. */
  readonly changed: readonly string[];
  /** The addresses of groups in the lists before or after the change. */
  readonly claimed: AddressesByTeam;
  /** The addresses of groups in the lists after the change. */
  readonly kept: AddressesByTeam;
}

function applyGroups(current: readonly Team[], recorded: AddressesByTeam, wanted: AddressesByTeam): AppliedGroups {
  const changed: string[] = [];
  const claimed = new Map<string, readonly string[]>();
  const kept = new Map<string, readonly string[]>();
  const teams = current.map((team) => {
    const former = new Set(recorded.get(team.id));
    const addresses = new Set(wanted.get(team.id));
    const entries = new Set(team.members);
    const others = team.members.filter((member) => addresses.has(member) || !former.has(member));
    const members = [...new Set([...others, ...addresses])].slice(0, MOST_ENTRIES);
    const updated = members.length + team.repositories.length === 0 ? team : { ...team, members };
    const ofGroups = [...former, ...[...addresses].filter((address) => !former.has(address) && !entries.has(address))];
    const listed = new Set(updated.members);
    const left = ofGroups.filter((address) => listed.has(address));
    claimed.set(team.id, ofGroups);
    kept.set(team.id, left);
    if (updated.members.join('\n') !== team.members.join('\n')) changed.push(team.id);
    return updated;
  });
  return { teams, changed, claimed, kept };
}

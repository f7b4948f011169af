import type { RequestContext } from '@plumbline/contract/contract-types';
import { validationProblem } from '@plumbline/contract/violations';
import type { Schemas } from '../../../../generated/platform/operations.js';
import type { ValidationFailed } from '../../../../generated/problems.js';
import type { Sql, Transaction } from '../../../database/connection.js';
import { teamsAsText, teamsFromText, type Team } from '../../../sync/work-units/teams/teams-file.js';
import { actorOf, type ActingPrincipal } from '../../identity/accounts/actor.js';
import { recordAudit, type AuditRecord } from '../audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { within } from '../../within.js';
import { lockOrganization } from '../organizations/members.store.js';
import { requestTask } from '../../sources/store-tasks/store-tasks.store.js';

/** Where teams are stored. */
export interface TeamStore extends Pick<PlatformDependencies, 'records'> {
  /** How long a read of the teams may take, in milliseconds; absent: as long as every statement. */
  readonly readTimeoutMs?: number;
}

/**
 * The teams of an organization, in the order in which they apply. They are stored in the database of the records.
 *
 * @throws Error if they are not read within `readTimeoutMs`
 */
export function readTeams({ records, readTimeoutMs }: TeamStore, orgId: string): Promise<readonly Team[]> {
  const reading = records.of(orgId, async (resources) =>
    teamsFromText(await resources.records.readFile('teams', orgId)),
  );
  return readTimeoutMs === undefined ? reading : within(readTimeoutMs, reading);
}

/** The refusal of a body that names teams that do not exist. @param named the ids, by their places in the body */
export async function refusalOfUnknownTeams(
  dependencies: Pick<PlatformDependencies, 'records'>,
  orgId: string,
  named: Readonly<Record<string, string>>,
): Promise<ValidationFailed | null> {
  if (Object.keys(named).length === 0) return null; // also while the store of the teams is away
  const ids = new Set((await readTeams(dependencies, orgId)).map(({ id }) => id));
  const unknown = Object.entries(named).filter(([, id]) => !ids.has(id));
  if (unknown.length === 0) return null;
  return validationProblem(unknown.map(([path]) => ({ path, rule: 'exists', message: 'is not the id of a team' })));
}

/** The teams after a change, with its audit record; or the reply that refuses the change. */
export type TeamChange<Refusal> =
  | { readonly teams: readonly Team[]; readonly audit: Pick<AuditRecord, 'action' | 'resourceId' | 'note'> }
  | { readonly refusal: Refusal };

type ChangedTeams<Refusal> = { readonly teams: readonly Team[] } | { readonly refusal: Refusal };

export interface ChangingRequest {
  readonly principal: ActingPrincipal;
  readonly context: RequestContext;
}

/**
 * Changes the teams of an organization, and requests an assignment of its work units. Changes are serialized.
 *
 * The teams may be in another database than the audit log and the task. They are written last, before the commit. If
 * that write fails, the audit record and the task are rolled back. An unnecessary assignment is harmless. With an
 * idempotency key, the write is announced first.
 *
 * @param change receives the current teams and the transaction; runs in it, while no other request can change them
 * @returns the teams after the change, or the refusal
 */
export async function changeTeams<Refusal>(
  dependencies: Pick<PlatformDependencies, 'sql' | 'clock' | 'storeTasks' | 'attempt'> & TeamStore,
  { principal, context }: ChangingRequest,
  change: (teams: readonly Team[], transaction: Sql) => TeamChange<Refusal> | Promise<TeamChange<Refusal>>,
): Promise<ChangedTeams<Refusal>> {
  const { sql, clock, records, storeTasks, attempt } = dependencies;
  const { org_id: orgId } = principal;
  const actor = actorOf(principal);
  const work = async (transaction: Transaction): Promise<ChangedTeams<Refusal>> => {
    await lockOrganization(transaction, orgId);
    const changed = await change(await readTeams(dependencies, orgId), transaction);
    if ('refusal' in changed) return changed;
    const now = clock.now();
    await recordAudit(transaction, context, now, { ...changed.audit, resourceKind: 'TEAM', orgId, ...actor });
    await requestAssignment(transaction, orgId, now);
    await attempt?.announce();
    await records.of(orgId, (resources) => resources.records.writeFile('teams', orgId, teamsAsText(changed.teams)));
    return { teams: changed.teams };
  };
  // Many changes of one organization wait for its lock, and must not keep those of others waiting.
  const outcome = await sql.beginFor(orgId, work);
  if ('teams' in outcome) storeTasks.wake();
  return outcome;
}

/** Requests an assignment of all work units of an organization. It begins soon after this transaction. */
export function requestAssignment(sql: Sql, orgId: string, now: Date): Promise<void> {
  return requestTask(sql, { orgId, kind: 'assign_teams', availableAt: now }, now);
}

/** The contract's `Team`. */
export function teamOf({ id, name, members, repositories }: Team): Schemas['Team'] {
  return { id, name, members: [...members], repositories: [...repositories] };
}

/** Describes work units for a person: their titles, and their pages at the code host. */
import type { UnitDescription } from '../../analytics/unit-records.js';
import type { WorkType } from '../../analytics/vocabulary.js';
import { identityOfRemote } from '../identity.js';
import { tableNamed, type AnyRow, type TableName } from '../records.js';
import { marksOf, marksOfHost } from '../providers/registry.js';
import { closersOf } from './closers.js';
import { namedBy } from './named-by.js';
import { groupUnitIds, titleAndText, unitId } from './derivation/derive.js';
import { hasNamesake } from './derivation/namesakes.js';
import { isIssueNumber } from './derivation/failure-signs.js';
import type { DerivationResources } from './derivation/resources.js';
import { numberOf, textOf } from './row-values.js';

interface Place {
  readonly table: TableName;
  readonly key: string;
  readonly columns: readonly string[];
}

const ISSUES: Place = { table: 'issues', key: 'number', columns: ['title'] };

/** The tables and columns of the title of each type of work. The last table that has it gives the title. */
const PLACES: Readonly<Record<WorkType, readonly Place[]>> = {
  pull_request: [{ table: 'git_pull_requests', key: 'number', columns: ['title'] }],
  commit: [{ table: 'git_commits', key: 'hash', columns: ['message'] }],
  deployment: [{ table: 'deployments', key: 'deployment_id', columns: ['release_ref', 'environment'] }],
  incident: [{ table: 'incidents', key: 'incident_id', columns: ['title'] }, ISSUES],
  issue: [ISSUES],
};

/**
 * Describes units of an organization.
 *
 * @param ids ids without a record, or of another organization, are omitted from the result
 */
export async function describeUnits(
  { orgId, records, sink }: DerivationResources,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UnitDescription>> {
  const described = new Map<string, UnitDescription>();
  for (const { repoId, workType, names: all } of groupUnitIds(ids)) {
    const names = PLACES[workType].every(({ key }) => key === 'number') ? all.filter(isIssueNumber) : all;
    if (names.length === 0) continue;
    const repository = await repositoryRow(sink, repoId);
    if (repository?.['org_id'] !== orgId) continue;
    const closers = workType === 'issue' ? await closersOf(records, repoId, names.map(Number)) : undefined;
    const project = marksOf(textOf(repository, 'source')).hasKeys === true ? textOf(repository, 'repo') : null;
    const isIssue = workType === 'issue' || workType === 'incident';
    const naming =
      project === null || !isIssue
        ? undefined
        : await namedBy(records, orgId, project, names.filter(isIssueNumber).map(Number));
    for (const { table, key, columns } of PLACES[workType]) {
      const isNumbered = key === 'number';
      const values = isNumbered ? names.filter(isIssueNumber).map(Number) : names;
      const query = { table: tableNamed(table), repoId, columns: [key, ...columns] };
      for await (const rows of records.rows({ ...query, where: { kind: 'in', column: key, values } })) {
        for (const row of rows) {
          const name = isNumbered ? numberOf(row, key) : textOf(row, key);
          const text = columns
            .map((column) => textOf(row, column))
            .join(' ')
            .trim();
          const url = urlOf(repository, workType, name);
          const closedBy = (closers?.get(Number(name)) ?? []).map((number) => unitId(repoId, 'pull_request', number));
          described.set(unitId(repoId, workType, name), {
            ...{ title: titleAndText(text).title, url, closedBy },
            namedBy: naming?.get(Number(name)) ?? [],
          });
        }
      }
    }
  }
  return described;
}

async function repositoryRow(sink: DerivationResources['sink'], repoId: string): Promise<AnyRow | undefined> {
  for await (const rows of sink.scan(tableNamed('repos'), repoId)) return rows[0];
  return undefined;
}

/** Pages at code hosts, and at hosts with their names. */
function urlOf(repository: AnyRow, workType: WorkType, name: string | number): string | null {
  const identity = identityOfRemote(textOf(repository, 'url'))?.identity;
  if (identity === undefined) return null;
  // The page of that number is another request's.
  if (workType === 'pull_request' && hasNamesake(Number(name))) return null;
  const [host = ''] = identity.split('/');
  const source = textOf(repository, 'source');
  const { pages, hasKeys } = source === 'local' || source === 'push' ? marksOfHost(host) : marksOf(source);
  if (pages === undefined || workType === 'deployment') return null;
  // An incident can be something else than an issue.
  const page = workType === 'incident' ? undefined : pages[workType];
  if (page === undefined) return null;
  return `${hasKeys === true ? textOf(repository, 'url') : `https://${identity}`}${page}${name}`;
}

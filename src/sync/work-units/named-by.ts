/** The requests and commits that name the keys of issues, in all repositories of an organization. */
import { LINKS, type DerivationRecords } from './derivation/database/records.js';
import { unitId } from './derivation/derive.js';
import { keyKind } from './derivation/issue-keys.js';
import { numberOf, textOf } from './row-values.js';

/** The most units that are listed for one issue. */
const MOST_UNITS = 100;

/**
 * The ids of the units that name issues of a project, by the issue's number, in the order of the ids. A commit of a request
 * counts as that request.
 */
export async function namedBy(
  records: DerivationRecords,
  orgId: string,
  project: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const commitKind = keyKind('commit', project);
  const named = await records.closingsAnywhere(orgId, numbers, [keyKind('request', project), commitKind]);
  const units = new Map<number, Set<string>>();
  const add = (issue: number, id: string): void => {
    units.set(issue, (units.get(issue) ?? new Set()).add(id));
  };
  for (const repoId of new Set(named.map((row) => row.repoId))) {
    const rows = named.filter((row) => row.repoId === repoId);
    const hashes = [...new Set(rows.filter(({ kind }) => kind === commitKind).map(({ closer }) => closer))];
    const requests = await requestsOf(records, repoId, hashes);
    for (const { issue, closer, kind } of rows) {
      if (kind !== commitKind) add(issue, unitId(repoId, 'pull_request', Number(closer)));
      else if (requests.has(closer))
        for (const number of requests.get(closer) ?? []) add(issue, unitId(repoId, 'pull_request', number));
      else add(issue, unitId(repoId, 'commit', closer));
    }
  }
  return new Map([...units].map(([issue, ids]) => [issue, [...ids].sort().slice(0, MOST_UNITS)]));
}

/** The requests that list commits, by hash. */
async function requestsOf(
  records: DerivationRecords,
  repoId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  if (hashes.length === 0) return found;
  const where = { kind: 'in', column: 'hash', values: hashes } as const;
  for await (const rows of records.rows({ table: LINKS, repoId, columns: ['hash', 'number', 'kind'], where }))
    for (const row of rows)
      if (textOf(row, 'kind') === 'listed')
        found.set(textOf(row, 'hash'), [...(found.get(textOf(row, 'hash')) ?? []), numberOf(row, 'number')]);
  return found;
}

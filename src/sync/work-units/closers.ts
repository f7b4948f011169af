/** The requests that close issues, as the derivation has stored it. */
import { tableNamed, type AnyRow } from '../records.js';
import { COMMIT_KINDS, countsForIssue, isMention, type ClosingKind } from './derivation/closings.js';
import { CLOSINGS, LINKS, type DerivationRecords, type ReadableTable } from './derivation/database/records.js';
import { isKeyKind } from './derivation/issue-keys.js';
import { countsFor, type LinkKind } from './derivation/links.js';
import { repeatedRequests, withoutNamesakes } from './derivation/namesakes.js';
import { numberOf, textOf, textOrNull } from './row-values.js';

/**
 * The numbers of the requests that close issues, by the issue's number, in ascending order. A request that was closed
 * without a merge closes nothing, whatever its text says.
 *
 * @param numbers of issues of the repository
 */
export async function closersOf(
  records: DerivationRecords,
  repoId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = reader(records, repoId);
  const closings = await rows(CLOSINGS, ['issue', 'closer', 'kind'], 'issue', numbers);
  if (closings.length === 0) return new Map();
  const issues = await rows(tableNamed('issues'), ['number', 'source'], 'number', numbers);
  const sources = new Map(issues.map((row) => [numberOf(row, 'number'), textOf(row, 'source')]));
  const counted = closings
    // Only the derivation writes these kinds, and those of links below.
    .map((row) => ({
      issue: numberOf(row, 'issue'),
      closer: textOf(row, 'closer'),
      kind: textOf(row, 'kind') as ClosingKind,
    }))
    .filter(
      ({ issue, kind }) => !isKeyKind(kind) && !isMention(kind) && countsForIssue(kind, sources.get(issue) ?? ''),
    );
  const isCommit = (kind: ClosingKind): boolean => COMMIT_KINDS.includes(kind);
  const hashes = counted.filter(({ kind }) => isCommit(kind)).map(({ closer }) => closer);
  const linked = (await rows(LINKS, ['hash', 'number', 'kind'], 'hash', hashes)).map((row) => ({
    hash: textOf(row, 'hash'),
    number: numberOf(row, 'number'),
    kind: textOf(row, 'kind') as LinkKind,
  }));
  const links = withoutNamesakes(linked);
  const candidates = [
    ...links.map(({ number }) => number),
    ...counted.filter(({ kind }) => !isCommit(kind)).map(({ closer }) => Number(closer)),
  ];
  const columns = ['number', 'state', 'source', 'merge_hash'];
  const requests = await rows(tableNamed('git_pull_requests'), columns, 'number', candidates);
  const repeated = repeatedRequests(
    requests.map((row) => ({ number: numberOf(row, 'number'), hash: textOrNull(row, 'merge_hash') })),
  );
  const open = new Map(
    requests
      .filter((row) => textOf(row, 'state') !== 'closed' && !repeated.has(numberOf(row, 'number')))
      .map((row) => [numberOf(row, 'number'), textOf(row, 'source')]),
  );
  const closers = new Map<number, Set<number>>();
  for (const { issue, closer, kind } of counted) {
    const named = isCommit(kind)
      ? links.filter((link) => link.hash === closer && countsFor(link.kind, open.get(link.number) ?? ''))
      : [{ number: Number(closer) }];
    const found = closers.get(issue) ?? new Set();
    closers.set(issue, found);
    for (const { number } of named) if (open.has(number)) found.add(number);
  }
  return new Map([...closers].map(([issue, found]) => [issue, [...found].sort((a, b) => a - b)]));
}

function reader(records: DerivationRecords, repoId: string) {
  return async (
    table: ReadableTable,
    columns: readonly string[],
    column: string,
    values: readonly (string | number)[],
  ): Promise<readonly AnyRow[]> => {
    const found: AnyRow[] = [];
    if (values.length === 0) return found;
    const where = { kind: 'in', column, values: [...new Set(values)] } as const;
    for await (const rows of records.rows({ table, repoId, columns, where })) found.push(...rows);
    return found;
  };
}

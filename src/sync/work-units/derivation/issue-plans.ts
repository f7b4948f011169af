/** Adds to requests and commits what their issues say of plans, which `epics.ts` makes their epic of. */
import type { AnyRow, TableName } from '../../records.js';
import { numberOf, textOf } from '../row-values.js';
import {
  closingsOfCommit,
  closingsOfRequest,
  countsForIssue,
  isMention,
  type ClosingKind,
  type StoredClosing,
} from './closings.js';
import type { CommitFacts } from './commits.js';
import { inParts, type ChangedCommit, type Where } from './database/records.js';
import { issuePlanOf, PLAN_COLUMNS, type IssuePlan } from './epics.js';
import type { RepositoryContext } from './plan.js';
import type { RequestFacts } from './request-facts.js';

/** What is read of a repository. */
interface IssueReader {
  readonly context: RepositoryContext;
  rows(table: TableName, columns: readonly string[], where: Where): AsyncIterable<readonly AnyRow[]>;
  closings(
    column: 'closer',
    closers: readonly string[],
    kinds: readonly ClosingKind[],
  ): Promise<readonly StoredClosing[]>;
}

/** Adds the issues of requests: those that the host, their texts and their commits name. */
export async function withIssuesOfRequests(
  reader: IssueReader,
  requests: readonly RequestFacts[],
): Promise<readonly RequestFacts[]> {
  const { context } = reader;
  if (!context.hasEpics) return requests;
  const closers = requests.map(({ row }) => String(numberOf(row, 'number')));
  const listed = await reader.closings('closer', closers, ['listed']);
  const named = requests.flatMap(({ row, commits }, index) =>
    [
      ...closingsOfRequest(row, context),
      ...commits.flatMap(({ hash, message }) => closingsOfCommit({ hash, message }, context)),
    ].map((closing) => ({ ...closing, closer: closers[index] ?? '' })),
  );
  const plans = await plansOf(reader, [...listed, ...named]);
  return requests.map((request, index) => ({ ...request, issues: plans.get(closers[index] ?? '') ?? [] }));
}

/** Adds the issues of commits, which their messages name. @param commits the rows of the facts, in their order */
export async function withIssuesOfCommits(
  reader: IssueReader,
  commits: readonly ChangedCommit[],
  facts: readonly CommitFacts[],
): Promise<readonly CommitFacts[]> {
  const { context } = reader;
  if (!context.hasEpics) return facts;
  const plans = await plansOf(
    reader,
    commits.flatMap(({ row }) => closingsOfCommit(row, context)),
  );
  return facts.map((commit) => ({ ...commit, issues: plans.get(commit.hash) ?? [] }));
}

/**
 * What issues say of the plans of the requests and commits that close them, or else refer to them, by closer. Nobody
 * knows the plan of an issue that is closed and not stored.
 */
async function plansOf(
  reader: IssueReader,
  closings: readonly StoredClosing[],
): Promise<ReadonlyMap<string, readonly IssuePlan[]>> {
  const issues = new Map<number, { readonly source: string; readonly plan: IssuePlan }>();
  for (const where of inParts('number', [...new Set(closings.map(({ issue }) => issue))])) {
    for await (const rows of reader.rows('issues', ['number', 'source', ...PLAN_COLUMNS], where))
      for (const row of rows) {
        const plan = issuePlanOf(row);
        issues.set(plan.number, { source: textOf(row, 'source'), plan });
      }
  }
  const closed = new Map<string, IssuePlan[]>();
  const mentioned = new Map<string, IssuePlan[]>();
  for (const { issue, closer, kind } of closings) {
    const stored = issues.get(issue);
    const plans = isMention(kind) ? mentioned : closed;
    // What only GitLab's grammar reads as a reference may be none.
    if (stored === undefined && (isMention(kind) || kind.endsWith('_b'))) continue;
    if (stored !== undefined && !countsForIssue(kind, stored.source)) continue;
    const all = plans.get(closer) ?? [];
    plans.set(closer, all);
    all.push(stored?.plan ?? { number: issue, epic: null, initiative: '' });
  }
  return new Map([...mentioned, ...closed]);
}

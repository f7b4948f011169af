/** The data that the unit of a pull or merge request depends on: its records, its merge, and who reviewed it. */
import type { Reviewer } from '../../../analytics/work-unit.js';
import { marksOf } from '../../providers/registry.js';
import type { AnyRow } from '../../records.js';
import { numberOrNull, textOf, textOrNull } from '../row-values.js';
import type { CommitFacts } from './commits.js';
import type { IssuePlan } from './epics.js';
import type { RepositoryContext } from './plan.js';

/** A pull or merge request with the records that its unit depends on. */
export interface RequestFacts {
  /** With `REQUEST_COLUMNS`. */
  readonly row: AnyRow;
  /** The stored commits that belong to it and that no other request brought in, in any order. */
  readonly commits: readonly CommitFacts[];
  /**
   * The commits of its branch that no other request brought in, stored or not, if others brought in some; null if it
   * brought in all of them.
   */
  readonly remaining: readonly string[] | null;
  readonly reviews: readonly Review[];
  /**
   * The time of the first deployment to production that contains it, in epoch milliseconds; null if there is none, or
   * it is not merged.
   */
  readonly deployedAt: number | null;
  /**
   * The issues that it and its commits close, or else refer to. Empty where no issue of its repository names an epic.
   */
  readonly issues: readonly IssuePlan[];
}

export interface Review {
  readonly reviewer: string;
  readonly state: string;
  /** Epoch milliseconds. */
  readonly submittedAt: number;
}

/** The time of a request's merge; null if it was not merged. */
export function mergedAt(row: AnyRow): number | null {
  return numberOrNull(row, 'merged_at') ?? (row['state'] === 'merged' ? numberOrNull(row, 'closed_at') : null);
}

/** The submitted reviews of other people than the author; bots are not people. */
export function reviewsByOthers({ authors }: RepositoryContext, { row, reviews }: RequestFacts): readonly Review[] {
  const own = authors.identify(textOrNull(row, 'author_email'), textOrNull(row, 'author_name')).names;
  return reviews.filter(({ reviewer, state }) => {
    const { author } = authors.identify(null, reviewer);
    return state !== 'PENDING' && !own.includes(author) && !author.endsWith('[bot]');
  });
}

/** A clone has none, and host_b tells whether it showed them. */
function hasKnownReviews({ row }: RequestFacts): boolean {
  return marksOf(textOf(row, 'source')).hasAllReviews === true || numberOrNull(row, 'notes_read') !== null;
}

/** The people who reviewed a request, by name; undefined if its source does not report reviews. */
export function reviewersOf(context: RepositoryContext, request: RequestFacts): readonly Reviewer[] | undefined {
  if (!hasKnownReviews(request)) return undefined;
  const found = new Map<string, Reviewer>();
  for (const { reviewer } of reviewsByOthers(context, request)) {
    const { author, names } = context.authors.identify(null, reviewer);
    const team = context.teams.teamOfPerson(names);
    found.set(author, { reviewer: author, team, reviews: (found.get(author)?.reviews ?? 0) + 1 });
  }
  return [...found.values()].sort((one, other) => (one.reviewer < other.reviewer ? -1 : 1));
}

/** The statements of reviews: how many people review how much, which teams review which, and how long it takes by size. */
import type { Dimension } from '../vocabulary.js';
import type { Dialect } from './dialects.js';
import { conditions, type Bind, type Slice } from './slices.js';

/** Requests whose reviews are known, and those with a review, by value of a dimension: most requests first. */
export interface ReviewedQuery {
  readonly kind: 'reviewed';
  readonly slice: Slice;
  /** Null: all values are one, which has no name. */
  readonly dimension: Dimension | null;
  /** The number of values. */
  readonly top: number;
}

/** Reviews and reviewers by value of a dimension, with the smallest number of people who gave half of the reviews. */
export interface ReviewersQuery {
  readonly kind: 'reviewers';
  readonly slice: Slice;
  /** Null: all values are one, which has no name. */
  readonly dimension: Dimension | null;
}

/** Reviews and reviewed requests by the team of the request and that of the reviewer: most reviews first. */
export interface ReviewTeamsQuery {
  readonly kind: 'review-teams';
  readonly slice: Slice;
  /** The number of pairs. */
  readonly top: number;
}

/** The time from the opening to the end of the review, by the size of the request. */
export interface ReviewTimesQuery {
  readonly kind: 'review-times';
  readonly slice: Slice;
}

export type ReviewQuery = ReviewedQuery | ReviewersQuery | ReviewTeamsQuery | ReviewTimesQuery;

/** The numbers of lines from which the next class of sizes begins. */
export const SIZE_BOUNDS = [10, 50, 200, 500, 1000] as const;

/** @param owner the placeholder of the organization */
export function reviewStatement(dialect: Dialect, query: ReviewQuery, owner: string, bind: Bind): string {
  switch (query.kind) {
    case 'reviewed':
      return reviewed(dialect, query, owner, bind);
    case 'reviewers':
      return reviewers(dialect, query, owner, bind);
    case 'review-teams':
      return reviewTeams(dialect, query, owner, bind);
    case 'review-times':
      return reviewTimes(dialect, query, owner, bind);
  }
}

/** PostgreSQL has an index with this condition. */
const IS_KNOWN = 'reviewers is not null';

function labelOf(dialect: Dialect, dimension: Dimension | null): string {
  return dimension === null ? "''" : dialect.column('units', dimension);
}

/** Columns: label, requests, and those with a review. */
function reviewed(dialect: Dialect, { slice, dimension, top }: ReviewedQuery, owner: string, bind: Bind): string {
  return (
    `select ${labelOf(dialect, dimension)} as label, count(*) as units, ` +
    `sum(case when reviewers <> '[]' then 1 else 0 end) as known from ${dialect.from('units', [], [])} ` +
    `where ${conditions(dialect, slice, owner, bind)} and ${IS_KNOWN} ` +
    `group by label order by units desc, label limit ${bind('integer', top)}`
  );
}

/**
 * Columns: label, reviews, people, and the smallest number of these who gave half of the reviews: by number of reviews,
 * those whom less than half of all reviews precede.
 */
function reviewers(dialect: Dialect, { slice, dimension }: ReviewersQuery, owner: string, bind: Bind): string {
  const { from, reviewer, reviews } = dialect.reviews;
  const people =
    `select ${labelOf(dialect, dimension)} as label, ${reviewer} as person, sum(${reviews}) as times ` +
    `from ${from} where ${conditions(dialect, slice, owner, bind)} and ${IS_KNOWN} group by label, person`;
  return (
    'select label, total, count(*) as persons, sum(case when (upto - times) * 2 < total then 1 else 0 end) as half ' +
    'from (select people.*, sum(times) over (partition by label order by times desc, person) as upto, ' +
    `sum(times) over (partition by label) as total from (${people}) people) ranked group by label, total`
  );
}

/** Columns: both teams, reviews, and requests. */
function reviewTeams(dialect: Dialect, { slice, top }: ReviewTeamsQuery, owner: string, bind: Bind): string {
  const { from, team, reviews, first } = dialect.reviews;
  return (
    `select team as label1, ${team} as label2, sum(${reviews}) as total, sum(${first}) as units ` +
    `from ${from} where ${conditions(dialect, slice, owner, bind)} and ${IS_KNOWN} ` +
    `group by label1, label2 order by total desc, label1, label2 limit ${bind('integer', top)}`
  );
}

/** Columns: the number of the class (-1: unknown), number, sum and percentiles, and the number of merged requests. */
function reviewTimes(dialect: Dialect, { slice }: ReviewTimesQuery, owner: string, bind: Bind): string {
  const classes = SIZE_BOUNDS.map((bound, index) => `when churn < ${bound} then ${index}`);
  const grouped = dialect.percentiles({
    column: 'pickup_ms + review_ms',
    keys: `case when churn is null then -1 ${classes.join(' ')} else ${SIZE_BOUNDS.length} end as label`,
    names: 'label',
    rows:
      `from ${dialect.from('units', [], [])} where ${conditions(dialect, slice, owner, bind)} ` +
      "and work_type = 'pull_request' and cycle_ms is not null",
  });
  return `select label, measured, total, p50, p75, p90, about from (${grouped}) grouped order by label`;
}

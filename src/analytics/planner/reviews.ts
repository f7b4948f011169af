/** Plans and answers the figures about reviews. Nobody is named: people are counted, and teams are. */
import type { ReviewLoad, ReviewsRequest, ReviewsResult } from '../analytics.js';
import { durationOf } from './dora.js';
import { wholeNumber, type Row, type Rows } from './result-rows.js';
import {
  SIZE_BOUNDS,
  type ReviewedQuery,
  type ReviewersQuery,
  type ReviewQuery,
  type ReviewTeamsQuery,
  type ReviewTimesQuery,
} from './review-statements.js';
import type { Slice } from './slices.js';

export interface ReviewsPlan {
  readonly request: ReviewsRequest;
  readonly total: ReviewedQuery;
  readonly totalReviewers: ReviewersQuery;
  /** The values with the most requests; their reviewers are read then. */
  readonly items: ReviewedQuery;
  readonly teams: ReviewTeamsQuery;
  readonly times: ReviewTimesQuery;
}

/** @param slice the rows of the request, of whole units */
export function planReviews(request: ReviewsRequest, slice: Slice): ReviewsPlan {
  const { dimension, topN } = request;
  return {
    request,
    total: { kind: 'reviewed', slice, dimension: null, top: 1 },
    totalReviewers: { kind: 'reviewers', slice, dimension: null },
    items: { kind: 'reviewed', slice, dimension, top: topN },
    teams: { kind: 'review-teams', slice, top: topN },
    times: { kind: 'review-times', slice },
  };
}

/** The queries that are run with those of the batch. */
export function reviewQueries({ total, totalReviewers, items, teams, times }: ReviewsPlan): readonly ReviewQuery[] {
  return [total, totalReviewers, items, teams, times];
}

/** The reviewers of the values with the most requests, which depend on the first answer. */
export function itemReviewers({ request, items }: ReviewsPlan, rows: Rows): ReviewersQuery | undefined {
  const keys = (rows.get(items) ?? []).map(([key]) => String(key));
  if (keys.length === 0) return undefined;
  const { dimension } = request;
  const slice = { ...items.slice, filters: { ...items.slice.filters, [dimension]: keys } };
  return { kind: 'reviewers', slice, dimension };
}

/** @param people of {@link itemReviewers} */
export function answerReviews(plan: ReviewsPlan, people: ReviewersQuery | undefined, rows: Rows): ReviewsResult {
  const { request, total, totalReviewers, items, teams, times } = plan;
  const [whole] = rows.get(total) ?? [];
  const [[, ...everybody] = []] = rows.get(totalReviewers) ?? [];
  const byKey = new Map(
    (people === undefined ? [] : (rows.get(people) ?? [])).map(([key, ...rest]) => [String(key), rest]),
  );
  return {
    dimension: request.dimension,
    // There is no row without a request whose reviews are known.
    total: whole === undefined ? null : loadOf(whole.slice(1), everybody),
    items: (rows.get(items) ?? []).map(([key, ...columns]) => ({
      key: String(key),
      load: loadOf(columns, byKey.get(String(key)) ?? []),
    })),
    teams: (rows.get(teams) ?? []).map(([team, reviewingTeam, reviews, requests]) => ({
      team: String(team),
      reviewingTeam: String(reviewingTeam),
      reviews: Number(wholeNumber(reviews)),
      requests: Number(wholeNumber(requests)),
    })),
    sizes: (rows.get(times) ?? []).map(([label, ...columns]) => ({
      ...boundsOf(Number(label)),
      ...durationOf(columns),
    })),
  };
}

/** @param columns of `reviewed`. @param people the columns of `reviewers` */
function loadOf([requests, reviewed]: Row, [reviews, people, half]: Row): ReviewLoad {
  const [known, withReview] = [Number(wholeNumber(requests)), Number(wholeNumber(reviewed))];
  return {
    requests: known,
    reviewedShare: withReview / known,
    reviews: Number(wholeNumber(reviews)),
    reviewers: Number(wholeNumber(people)),
    halfOfReviewsBy: withReview === 0 ? null : Number(wholeNumber(half)),
  };
}

function boundsOf(label: number): { readonly fromLines: number | null; readonly toLines: number | null } {
  if (label < 0) return { fromLines: null, toLines: null };
  const next = SIZE_BOUNDS[label];
  return { fromLines: SIZE_BOUNDS[label - 1] ?? 0, toLines: next === undefined ? null : next - 1 };
}

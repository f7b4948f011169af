/**
 * The phases of a merged request, as src/analytics/MEASURES.md defines them. A phase is omitted unless both of its ends
 * are known: it is unknown, not 0.
 */
import type { Phases } from '../../../analytics/work-unit.js';
import { numberOf, numberOrNull, textOf } from '../row-values.js';
import type { RepositoryContext } from './plan.js';
import { reviewsByOthers, type RequestFacts } from './request-facts.js';

/** @param mergedAt epoch milliseconds */
export function phasesOf(context: RepositoryContext, request: RequestFacts, mergedAt: number): Phases {
  const { row, deployedAt } = request;
  const isFromHost = textOf(row, 'source') !== 'local';
  const firstCommit = firstCommitOf(request, isFromHost);
  // A clone does not know when a request was opened, and has no reviews.
  const opened = isFromHost ? Math.min(numberOf(row, 'created_at'), mergedAt) : null;
  const reviews = reviewsOf(context, request, mergedAt);
  return known({
    coding: between(firstCommit, opened),
    pickup: between(opened, reviews.first),
    review: between(reviews.first, reviews.last),
    merge: between(reviews.last, mergedAt),
    deploy: between(mergedAt, deployedAt),
    lead: between(firstCommit, deployedAt),
  });
}

/**
 * The first commit. Null if all commits are newer than the request: they replaced the original ones, or are a squash
 * with a new date.
 */
function firstCommitOf({ row, commits, remaining }: RequestFacts, isFromHost: boolean): number | null {
  const listed = remaining === null ? numberOrNull(row, 'first_commit_at') : null;
  const stored = commits.filter(({ isMerge }) => !isMerge).map(({ authorWhen }) => authorWhen);
  const first = Math.min(listed ?? Infinity, ...stored);
  if (!isFromHost) return textOf(row, 'evidence') === 'merge' && stored.length > 0 ? first : null;
  return first <= numberOf(row, 'created_at') ? first : null;
}

/**
 * The first review by another person, and the last approval (without approvals, the last review), all before the merge.
 */
function reviewsOf(
  context: RepositoryContext,
  request: RequestFacts,
  mergedAt: number,
): { readonly first: number | null; readonly last: number | null } {
  const counted = reviewsByOthers(context, request).filter(({ submittedAt }) => submittedAt <= mergedAt);
  const times = counted.map(({ submittedAt }) => submittedAt);
  const approvals = counted.filter(({ state }) => state === 'APPROVED').map(({ submittedAt }) => submittedAt);
  if (times.length === 0) return { first: null, last: null };
  return { first: Math.min(...times), last: Math.max(...(approvals.length > 0 ? approvals : times)) };
}

/** Clocks of several machines differ, so a duration must not become negative. */
function between(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}

function known(phases: Readonly<Record<keyof Phases, number | null>>): Phases {
  return Object.fromEntries(Object.entries(phases).filter(([, duration]) => duration !== null));
}

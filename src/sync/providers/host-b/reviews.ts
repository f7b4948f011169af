/**
 * The reviews of a merge request. host_b has no such record: it keeps a note for each comment and for each decision,
 * and publishes the comments of a review together. The list of approvals has neither times nor earlier approvals.
 */
import type { Row } from '../../records.js';
import type { Note } from './request-notes.js';

type Review = Omit<Row<'git_pull_request_reviews'>, 'number'>;

/** Notes of one person in this time are one review, as they are on host_a. */
const TOGETHER = 60_000;

/** What the host writes, in English whatever the language of the person. */
const DECISIONS: ReadonlyMap<string, string> = new Map([
  ['approved this merge request', 'APPROVED'],
  ['requested changes', 'CHANGES_REQUESTED'],
]);

/** The reviews that notes, in any order, tell of: the first note of each gives it its id. */
export function reviewsOf(notes: readonly Note[]): readonly Review[] {
  const reviews: Review[] = [];
  const ordered = notes.toSorted((one, other) => one.at - other.at || Number(one.id) - Number(other.id));
  for (const note of ordered) {
    for (const login of withdrawn(note)) dismiss(reviews, login);
    const state = stateOf(note);
    if (state !== undefined) add(reviews, note, state);
  }
  return reviews;
}

function stateOf({ kind, body }: Note): string | undefined {
  if (kind === 'system') return DECISIONS.get(body);
  return kind === 'comment on the diff' ? 'COMMENTED' : undefined;
}

/** The people whose approval a note takes back. */
function withdrawn({ kind, body, author }: Note): readonly string[] {
  if (kind !== 'system') return [];
  if (body === 'unapproved this merge request') return [author];
  if (!body.startsWith('reset approvals from ')) return [];
  return [...body.matchAll(/@([\w.-]+)/g)].flatMap(([, login]) => login ?? []);
}

function dismiss(reviews: Review[], login: string): void {
  const index = reviews.findLastIndex(({ reviewer, state }) => reviewer === login && state === 'APPROVED');
  const approval = reviews[index];
  if (approval !== undefined) reviews[index] = { ...approval, state: 'DISMISSED' };
}

/** Joins a note to the last review of its author, unless that is older or both are decisions. */
function add(reviews: Review[], { id, author, at }: Note, state: string): void {
  const index = reviews.findLastIndex(({ reviewer }) => reviewer === author);
  const last = reviews[index];
  if (last === undefined || at - last.submitted_at > TOGETHER || ![last.state, state].includes('COMMENTED')) {
    reviews.push({ review_id: id, reviewer: author, state, submitted_at: at });
    return;
  }
  if (last.state === 'COMMENTED') reviews[index] = { ...last, state };
}

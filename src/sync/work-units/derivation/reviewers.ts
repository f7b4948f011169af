/** Who reviewed a request. */
import type { Reviewer } from '../../../analytics/work-unit.js';
import { textOf, textOrNull } from '../row-values.js';
import type { RepositoryContext } from './plan.js';
import type { RequestFacts, Review } from './request-facts.js';

/** The submitted reviews of other people than the author; bots are not people. */
export function reviewsByOthers({ authors }: RepositoryContext, { row, reviews }: RequestFacts): readonly Review[] {
  const own = authors.identify(textOrNull(row, 'author_email'), textOrNull(row, 'author_name')).names;
  return reviews.filter(({ reviewer, state }) => {
    const { author } = authors.identify(null, reviewer);
    return state !== 'PENDING' && !own.includes(author) && !author.endsWith('[bot]');
  });
}

/** Sources that report the reviews of all requests: a clone and GitLab's list of requests have none. */
const REVIEWED_SOURCES: ReadonlySet<string> = new Set(['host_a', 'synthetic']);

/** The people who reviewed a request, by name; undefined if its source does not report reviews. */
export function reviewersOf(context: RepositoryContext, request: RequestFacts): readonly Reviewer[] | undefined {
  if (!REVIEWED_SOURCES.has(textOf(request.row, 'source'))) return undefined;
  const found = new Map<string, Reviewer>();
  for (const { reviewer } of reviewsByOthers(context, request)) {
    const { author, names } = context.authors.identify(null, reviewer);
    const team = context.teams.teamOfPerson(names);
    found.set(author, { reviewer: author, team, reviews: (found.get(author)?.reviews ?? 0) + 1 });
  }
  return [...found.values()].sort((one, other) => (one.reviewer < other.reviewer ? -1 : 1));
}

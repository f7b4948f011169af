/** Who takes part in a unit beside its author: an AI assistant, and the people whom its commits name. */
import { UNASSISTED } from '../../../analytics/vocabulary.js';
import type { WorkUnit } from '../../../analytics/work-unit.js';
import type { AnyRow } from '../../records.js';
import { assistantOf, namedIn, type Named } from '../assistants/assistants.js';
import type { AuthorIdentifier, Identity } from '../authors/identify.js';
import { textOf, textOrNull } from '../row-values.js';
import type { CommitFacts } from './commits.js';
import { mostNamed } from './most-named.js';

type Participants = Pick<WorkUnit, 'assistant' | 'coAuthors'>;

/** The participants of a unit of commits. */
export interface Work {
  /** The commits without merges. */
  readonly commits: readonly CommitFacts[];
  /** The row of a request, which may be that of an assistant or say so; undefined for a commit. */
  readonly request?: AnyRow;
}

/** @param author of the unit, who is not one of its co-authors */
export function participantsOf({ commits, request }: Work, author: Identity, authors: AuthorIdentifier): Participants {
  const named = commits.map(({ message }) => namedIn(message));
  const assistant = assistantOfWork(commits, named, request);
  const coAuthors = coAuthorsOf(named, author, authors);
  return {
    ...(assistant === undefined ? {} : { assistant }),
    ...(coAuthors.length === 0 ? {} : { coAuthors }),
  };
}

/** Undefined where nothing is known of the commits: one of them might name an assistant. */
function assistantOfWork(
  commits: readonly CommitFacts[],
  named: readonly Named[],
  request: AnyRow | undefined,
): string | undefined {
  const ownRequest =
    request === undefined
      ? undefined
      : assistantOf(textOrNull(request, 'author_email'), textOrNull(request, 'author_name'));
  if (ownRequest !== undefined) return ownRequest;
  const most = mostNamed(
    commits.flatMap(({ authorEmail, authorName }, index) => {
      const author = assistantOf(authorEmail, authorName);
      return [...new Set([...(author === undefined ? [] : [author]), ...(named[index]?.assistants ?? [])])];
    }),
  );
  if (most !== undefined) return most;
  // A description has no title.
  const described = request === undefined ? undefined : namedIn(`\n${textOf(request, 'body')}`).assistants[0];
  return described ?? (commits.length === 0 ? undefined : UNASSISTED);
}

/** The people whom messages name, identified like authors and without the author, in the order of their names. */
export function coAuthorsOf(named: readonly Named[], author: Identity, authors: AuthorIdentifier): readonly string[] {
  const found = new Set<string>();
  for (const { people } of named)
    for (const { email, name } of people) {
      const person = authors.identify(email, name).author;
      if (person !== '' && !person.endsWith('[bot]') && !author.names.includes(person)) found.add(person);
    }
  return [...found].sort();
}

import type {
  GetAuthorsHandler,
  GetAuthorSuggestionsHandler,
  ImportAuthorsHandler,
  Schemas,
} from '../../../../generated/platform/operations.js';
import {
  authorsChanged,
  authorsFileInvalid,
  type AuthorsFileInvalid,
  type ValidationFailed,
} from '../../../../generated/problems.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { validationProblem } from '@plumbline/contract/violations';
import {
  authorsAsText,
  authorsFileSteps,
  authorsFromText,
  authorsSteps,
  type Author,
} from '../../../sync/work-units/authors/authors-file.js';
import { suggestPersons } from '../../../sync/work-units/authors/suggest-authors.js';
import { FileCheck, FileError } from '../../../sync/work-units/file-check.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { describeFileProblems, refuseBody } from './file-problems.js';
import { storeText } from './store-text.js';
import { revisionOf } from './stored-rules.js';

export const getAuthors: GetAuthorsHandler<PlatformDependencies> = async ({ principal }, { records }) => {
  const { org_id: orgId } = principal;
  const text = await records.of(orgId, (resources) => resources.records.readFile('authors', orgId));
  return { status: 200, body: bodyOf(authorsFromText(text)) };
};

export const importAuthors: ImportAuthorsHandler<PlatformDependencies> = async (request, dependencies) => {
  const { org_id: orgId } = request.principal;
  const { revision } = request.body;
  const read = await readAuthors(request.body);
  if ('refusal' in read) return read.refusal;
  const { authors } = read;
  const note = authors.length === 1 ? '1 author' : `${authors.length} authors`;
  try {
    await storeText(dependencies, request, { resourceKind: 'AUTHORS', note }, async ({ records }) => {
      // The organization is locked, so that no other request stores authors in between.
      if (revision !== undefined && revision !== revisionFor(authorsFromText(await records.readFile('authors', orgId))))
        throw new OtherAuthors();
      await records.writeFile('authors', orgId, authorsAsText(authors));
    });
  } catch (error) {
    if (!(error instanceof OtherAuthors)) throw error;
    return authorsChanged({ message: 'Other authors have been stored since these were read.' });
  }
  return { status: 200, body: bodyOf(authors) };
};

/** Suggests authors that are probably one person. */
export const getAuthorSuggestions: GetAuthorSuggestionsHandler<PlatformDependencies> = (
  { principal: { org_id: orgId } },
  { records },
) =>
  records.of(orgId, async (resources) => {
    const { persons, hasMore, isComplete } = await suggestPersons(resources);
    const suggestions = persons.map(({ authors, reasons }) => ({
      authors: authors.map(({ author, names, units }) => ({ author, names: [...names], work_units: units })),
      reasons: [...reasons],
    }));
    return { status: 200, body: { suggestions, has_more: hasMore, is_complete: isComplete } };
  });

/** Rolls the transaction back. */
class OtherAuthors extends Error {}

type ReadAuthors =
  { readonly authors: readonly Author[] } | { readonly refusal: AuthorsFileInvalid | ValidationFailed };

/** Reads the authors of a request, which are a list or the text of a file. */
async function readAuthors({ authors: list, file }: Schemas['ImportAuthorsRequest']): Promise<ReadAuthors> {
  if (file !== undefined && list === undefined) {
    try {
      return { authors: await inSlices(authorsFileSteps(file, 'The file')) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return { refusal: authorsFileInvalid(describeFileProblems(error.problems)) };
    }
  }
  if (file !== undefined || list === undefined) {
    const message = 'must have either authors or a file';
    return { refusal: validationProblem([{ path: '/body', rule: 'author', message }]) };
  }
  const check = new FileCheck();
  const authors = await inSlices(authorsSteps(check, list, 'body.authors'));
  return check.problems.length > 0 ? { refusal: refuseBody('author', check.problems) } : { authors };
}

function bodyOf(authors: readonly Author[]): Schemas['Authors'] {
  return { authors: authors.map(({ author, also }) => ({ author, also: [...also] })), revision: revisionFor(authors) };
}

/** The revision of stored authors. Without any it is the same, whether none were stored or they were removed. */
function revisionFor(authors: readonly Author[]): string {
  return revisionOf(authorsAsText(authors));
}

import type { GetAuthorsHandler, ImportAuthorsHandler, Schemas } from '../../../../generated/platform/operations.js';
import {
  authorsAsText,
  authorsFromText,
  authorsSteps,
  type Author,
} from '../../../sync/work-units/authors/authors-file.js';
import { FileCheck } from '../../../sync/work-units/file-check.js';
import { inSlices } from '@plumbline/contract/system/slices';
import type { PlatformDependencies } from '../../dependencies.js';
import { refuseBody } from './file-problems.js';
import { storeText } from './store-text.js';

export const getAuthors: GetAuthorsHandler<PlatformDependencies> = async ({ principal }, { records }) => {
  const { org_id: orgId } = principal;
  const text = await records.of(orgId, (resources) => resources.records.readFile('authors', orgId));
  return { status: 200, body: bodyOf(authorsFromText(text)) };
};

export const importAuthors: ImportAuthorsHandler<PlatformDependencies> = async (request, dependencies) => {
  const { org_id: orgId } = request.principal;
  const check = new FileCheck();
  const authors = await inSlices(authorsSteps(check, request.body.authors, 'body.authors'));
  if (check.problems.length > 0) return refuseBody('author', check.problems);
  const note = authors.length === 1 ? '1 author' : `${authors.length} authors`;
  await storeText(dependencies, request, { resourceKind: 'AUTHORS', note }, (resources) =>
    resources.records.writeFile('authors', orgId, authorsAsText(authors)),
  );
  return { status: 200, body: bodyOf(authors) };
};

function bodyOf(authors: readonly Author[]): Schemas['Authors'] {
  return { authors: authors.map(({ author, also }) => ({ author, also: [...also] })) };
}

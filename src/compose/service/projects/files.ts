/** The content of secrets and configs that callers send, because the server has neither their files nor their variables. */
import type { WriteProjectFilesHandler } from '../../../../generated/compose/operations.js';
import { failure } from '../../model/errors.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { requireIngested } from './project-commands.js';
import { contentKey } from './stored-contents.js';

const refusals = [
  'OrchestratorError.projectNotFound',
  'OrchestratorError.projectNotIngested',
  'ComposeValidationError.undefinedReference',
] as const;

export const writeProjectFiles: WriteProjectFilesHandler<ComposeDependencies> = (
  { params, body, context },
  dependencies,
) =>
  answering(refusals, () =>
    dependencies.projectLocks(params.name, async () => {
      const ingested = await requireIngested(params.name, [], context.signal, dependencies);
      body.files.forEach(({ section, name }, index) => {
        if (ingested.contents.has(contentKey(section, name))) return;
        const kind = section === 'secrets' ? 'secret' : 'config';
        const fields = { path: ['files', index, 'name'], kind, name };
        throw failure('ComposeValidationError', 'undefinedReference', fields);
      });
      const files = body.files.map(({ section, name, content }) => [contentKey(section, name), content] as const);
      await dependencies.projects.putContents(params.name, new Map(files));
      return { status: 204 };
    }),
  );

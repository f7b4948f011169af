import { failure } from './errors.js';

const VALID = /^[a-z0-9][a-z0-9_-]*$/;

/** Where a name may come from, in this order; empty and absent ones are passed over. */
export interface ProjectNameSources {
  /** The `--project-name` flag. */
  readonly flag: string | undefined;
  /** COMPOSE_PROJECT_NAME. */
  readonly environment: string | undefined;
  /** The `name:` of the last compose file that has one. */
  readonly file: string | undefined;
  /** The base name of the project directory. */
  readonly directory: string;
}

/**
 * Decides the project's name. A name from the flag or the environment must be right as it is; one from a file or the
 * directory is made right, since neither was written as an identifier for this purpose alone.
 *
 * @throws ComposeFailure ComposeError.invalidProjectName
 */
export function projectName(sources: ProjectNameSources): string {
  const explicit = sources.flag || sources.environment;
  if (explicit) {
    if (!VALID.test(explicit)) throw failure('ComposeError', 'invalidProjectName', { name: explicit });
    return explicit;
  }
  const derived = normalizedName(sources.file ?? '') || normalizedName(sources.directory);
  if (derived === '') throw failure('ComposeError', 'invalidProjectName', { name: '' });
  return derived;
}

/** Lower case, everything but letters, digits, `-` and `_` left out, no `-` or `_` in front. */
export function normalizedName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');
}

import { failure } from '../errors.js';

const VALID = /^[a-z0-9][a-z0-9_-]*$/;

/** The sources of a project name, in order of precedence. Empty and absent ones are skipped. */
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
 * Selects the project's name. A name from the flag or the environment must be valid. A name from a file or the
 * directory is normalized, because it was not necessarily chosen as a project name.
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

/** Converts to lower case, and removes everything but letters, digits, `-` and `_`, and leading `-` and `_`. */
export function normalizedName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');
}

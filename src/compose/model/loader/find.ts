import path from 'node:path';
import { failure } from '../errors.js';
import type { ComposeFiles } from './files.js';
import type { WarningList } from '../warnings.js';

/** Tried in this order. */
const DEFAULT_FILE_NAMES = ['compose.yml', 'compose.yaml', 'docker-compose.yml', 'docker-compose.yaml'] as const;

/** The override files, merged over the file found; tried in this order. */
const OVERRIDE_FILE_NAMES = [
  'compose.override.yml',
  'compose.override.yaml',
  'docker-compose.override.yml',
  'docker-compose.override.yaml',
] as const;

/** Standard input, in place of a file name. */
export const STANDARD_INPUT = '-';

export interface FindOptions {
  /** Files named on the command line. Empty: COMPOSE_FILE or the default names apply. */
  readonly files: readonly string[];
  readonly environment: ReadonlyMap<string, string>;
  /** The absolute path to which relative file names are resolved. */
  readonly workingDirectory: string;
  /**
   * The absolute path of the directory where the search for the default names starts. The search continues in its
   * parents.
   */
  readonly searchDirectory: string;
}

/**
 * Finds the compose files of a project.
 *
 * @returns absolute paths, in merge order
 * @throws ComposeFailure YamlError.composeFileNotFound
 */
export async function findComposeFiles(
  options: FindOptions,
  files: ComposeFiles,
  warnings: WarningList,
): Promise<string[]> {
  const named = options.files.length > 0 ? options.files : filesFromEnvironment(options.environment);
  if (named.length > 0) {
    return named.map((file) => (file === STANDARD_INPUT ? file : path.resolve(options.workingDirectory, file)));
  }
  for (let directory = options.searchDirectory; ; directory = path.dirname(directory)) {
    const found = await firstOf(DEFAULT_FILE_NAMES, directory, files, warnings);
    if (found !== undefined) {
      const override = await firstOf(OVERRIDE_FILE_NAMES, directory, files, warnings);
      return override === undefined ? [found] : [found, override];
    }
    if (path.dirname(directory) === directory) break;
  }
  throw failure('YamlError', 'composeFileNotFound', {
    path: path.join(options.searchDirectory, DEFAULT_FILE_NAMES[0]),
  });
}

function filesFromEnvironment(environment: ReadonlyMap<string, string>): string[] {
  const separator = environment.get('COMPOSE_PATH_SEPARATOR') || path.delimiter;
  return (environment.get('COMPOSE_FILE') ?? '').split(separator).filter((file) => file !== '');
}

async function firstOf(
  names: readonly string[],
  directory: string,
  files: ComposeFiles,
  warnings: WarningList,
): Promise<string | undefined> {
  const candidates: string[] = [];
  for (const name of names) {
    const file = path.join(directory, name);
    if (await files.isFile(file)) candidates.push(file);
  }
  const [first, ...others] = candidates;
  if (first !== undefined && others.length > 0) {
    warnings.add('ambiguousFiles', `Several compose files in ${directory}: using ${first}, not ${others.join(', ')}.`);
  }
  return first;
}

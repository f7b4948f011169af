import path from 'node:path';
import { readEnvFile } from './dotenv.js';
import { failure } from '../errors.js';
import type { ComposeFiles } from '../loader/files.js';
import type { Lookup } from '../interpolation/template.js';

/** The variables available to interpolation. */
export type Environment = ReadonlyMap<string, string>;

export function environmentFrom(variables: Readonly<Record<string, string | undefined>>): Environment {
  return new Map(Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Whether a variable of docker compose's settings is 1, t or true. */
export function isSwitchedOn(value = ''): boolean {
  return /^(?:1|t|true)$/i.test(value);
}

export function lookupIn(environment: Environment): Lookup {
  return (name) => environment.get(name);
}

/**
 * Adds the variables of environment files to an environment. The environment overrides every file, and a later file
 * overrides an earlier one.
 *
 * @param envFiles absolute paths
 * @throws ComposeFailure EnvFileError.notFound, EnvFileError.malformed
 */
export async function withEnvFiles(
  environment: Environment,
  envFiles: readonly string[],
  files: ComposeFiles,
): Promise<Environment> {
  const variables = new Map<string, string>();
  for (const envFile of envFiles) {
    const text = await files.readText(envFile);
    if (text === undefined) throw failure('EnvFileError', 'notFound', { path: envFile });
    readEnvFile(text, envFile, variables, lookupIn(environment));
  }
  return new Map([...variables, ...environment]);
}

/**
 * The environment files of a project: the named ones, otherwise those in COMPOSE_ENV_FILES, otherwise the `.env` of its
 * directory if it exists and COMPOSE_DISABLE_ENV_FILE does not disable it.
 *
 * @returns absolute paths
 */
export async function projectEnvFiles(
  named: readonly string[],
  environment: Environment,
  workingDirectory: string,
  projectDirectory: string,
  files: ComposeFiles,
): Promise<string[]> {
  const listed = (environment.get('COMPOSE_ENV_FILES') ?? '').split(',').filter((file) => file !== '');
  const chosen = named.length > 0 ? named : listed;
  if (chosen.length > 0) return chosen.map((file) => path.resolve(workingDirectory, file));
  if (isSwitchedOn(environment.get('COMPOSE_DISABLE_ENV_FILE'))) return [];
  const standard = path.join(projectDirectory, '.env');
  return (await files.isFile(standard)) ? [standard] : [];
}

/** Finds the plug-ins of the Docker CLI: programs with the name `docker-<plug-in>`. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { dockerConfiguration } from './docker-configuration.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directories of plug-ins, in Docker's order.
 *
 * @param environment DOCKER_CONFIG is the configuration directory (default `~/.docker`)
 */
export function pluginDirectories(environment: Environment): string[] {
  return [
    join(dockerConfiguration(environment), 'cli-plugins'),
    '/usr/local/lib/docker/cli-plugins',
    '/usr/local/libexec/docker/cli-plugins',
    '/usr/lib/docker/cli-plugins',
    '/usr/libexec/docker/cli-plugins',
  ];
}

/** The directories of PATH. */
export function searchPath(environment: Environment): string[] {
  return (environment['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
}

/** The first of these files that this user may run. */
export async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/** The path of the plug-in `buildx`; undefined if it is not installed. */
export function findBuildx(environment: Environment): Promise<string | undefined> {
  const directories = [...pluginDirectories(environment), ...searchPath(environment)];
  return firstExecutable(directories.map((directory) => join(directory, 'docker-buildx')));
}

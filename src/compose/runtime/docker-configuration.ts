import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the Docker CLI's configuration: DOCKER_CONFIG, else `~/.docker`. */
export function dockerConfiguration(environment: Readonly<Record<string, string | undefined>>): string {
  return environment['DOCKER_CONFIG'] || join(environment['HOME'] || homedir(), '.docker');
}

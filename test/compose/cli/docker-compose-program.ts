import { access } from 'node:fs/promises';
import path from 'node:path';

export interface DockerComposeProgram {
  readonly program: string | undefined;
  /** Why the comparison is skipped; undefined where the program exists. */
  readonly missing: string | undefined;
}

/** Where `.ci/docker-compose` puts the sources of the commands. */
export const sourcesBeside = (program: string): string => path.join(path.dirname(program), 'commands');

/** docker compose's standalone program, which `.ci/docker-compose` builds. */
export async function theirProgram(): Promise<DockerComposeProgram> {
  const program = process.env['PLUMBLINE_TEST_DOCKER_COMPOSE'];
  const exists = await access(program ?? '').then(
    () => true,
    () => false,
  );
  return exists
    ? { program, missing: undefined }
    : { program: undefined, missing: 'PLUMBLINE_TEST_DOCKER_COMPOSE names no program' };
}

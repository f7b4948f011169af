/** Converts security options for the Engine API, which expects the content of a seccomp profile instead of its path. */
import { readFile } from 'node:fs/promises';
import { backendFailure } from '../errors.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/**
 * Replaces the path of a seccomp profile by its content.
 *
 * @param options in the form of podman and the Docker CLI: `seccomp=/absolute/path`
 * @throws RuntimeError.backendFailure for a file that cannot be read or is not JSON
 */
export function withProfiles(options: readonly string[]): Promise<string[]> {
  return Promise.all(
    options.map(async (option) => {
      const [, file] = /^seccomp=(\/.*)$/s.exec(option) ?? [];
      return file === undefined ? option : `seccomp=${await profile(file)}`;
    }),
  );
}

async function profile(file: string): Promise<string> {
  try {
    return JSON.stringify(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const code = errorCode(cause) ?? 'it is not JSON';
    throw backendFailure(`The seccomp profile '${file}' cannot be used: ${code}.`, cause);
  }
}

/** CODEOWNERS from a code host: what becomes of a sync whose host does not show the file. */
import { SyncError, withoutSecrets } from '../failures.js';
import type { SyncRequest } from '../request.js';
import type { SyncDependencies } from '../dependencies.js';
import type { Target } from '../targets.js';
import type { OpenRepository } from './provider.js';

/** Targets whose records become work units, which CODEOWNERS gives to teams. */
const WITH_WORK_UNITS: readonly Target[] = ['git', 'prs', 'deployments', 'incidents'];

/**
 * Makes the `codeowners` of a repository on a host; there is none for targets that no work unit comes from.
 *
 * The records do not depend on the file. If the token may not read it, or the host does not return it, a note says so and
 * the sync continues. Teams are then assigned by the last file that was read, and the next successful read corrects them.
 * A rate limit applies to the host: after the last attempt the sync fails, as it would at its next request.
 *
 * @param name of the repository, for the note
 * @param read gives the text, or null where the default branch has no such file
 */
export function codeownersOfHost(
  name: string,
  { target, secrets }: SyncRequest,
  { progress, signal }: SyncDependencies,
  read: () => Promise<string | null>,
): Pick<OpenRepository, 'codeowners'> {
  if (!WITH_WORK_UNITS.includes(target)) return {};
  return {
    codeowners: async () => {
      try {
        return await read();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SyncError) || error.code === 'rate_limited') throw error;
        const reason = withoutSecrets(error.message, secrets).replaceAll(/\s+/g, ' ');
        progress.note?.(`${name}: its CODEOWNERS cannot be read, so teams stay as they are. ${reason}`);
        return undefined;
      }
    },
  };
}

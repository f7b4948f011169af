/** Reads CODEOWNERS from a code host, and continues if the host does not return the file. */
import { SyncError, withoutSecrets } from '../failures.js';
import type { SyncRequest } from '../sync-request.js';
import type { SyncDependencies } from '../dependencies.js';
import type { Target } from '../targets.js';
import type { OpenRepository } from './provider.js';

/** Targets whose records become work units. CODEOWNERS assigns those to teams. */
const WITH_WORK_UNITS: readonly Target[] = ['git', 'prs', 'deployments', 'incidents', 'issues'];

/**
 * Creates the `codeowners` function of a repository on a host; undefined for targets without work units.
 *
 * The records do not depend on the file. If the token may not read it, or the host does not return it, a note says so
 * and the sync continues. Teams are then assigned by the previously read file, until a later read succeeds. A rate
 * limit applies to the whole host: after the last attempt the sync fails, because its next request would fail, too.
 *
 * @param name of the repository, for the note
 * @param read returns the text, or null if the default branch has no such file
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

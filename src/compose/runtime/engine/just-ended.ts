/** Retries a read that fails because its subject ends or disappears during it. */
import { isEngineFailure } from '../errors.js';

/**
 * Podman before 4.4 reads the `cgroup` file of a process it believes to be running, and fails if the process has just
 * ended. Podman lists images in two steps, and fails if one of them was removed between the steps.
 */
const stumbled = /\/proc\/\d+\/cgroup: no such process|reading image .*: image not known/i;

/** Podman succeeds on the second try. The other tries cover repeated restarts and removals. */
const MOST_LOOKS = 4;

/** Retries when the subject ended or disappeared during the read. `look` must not change anything. */
export async function lookDespiteEnd<T>(look: () => Promise<T>): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await look();
    } catch (error) {
      const reason = isEngineFailure(error) && error.cause instanceof Error ? error.cause.message : '';
      if (looks === MOST_LOOKS || !stumbled.test(reason)) throw error;
    }
  }
}

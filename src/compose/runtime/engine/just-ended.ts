/** Retries an inspection that fails because the container's process is just ending. */
import { isEngineFailure } from '../errors.js';

/**
 * Podman before 4.4 reads this file for a process it believes to be running, and fails if the process has just ended.
 */
const stumbled = /\/proc\/\d+\/cgroup: no such process/i;

/** Podman reports the end on the second try. The other tries cover a container that restarts repeatedly. */
const MOST_LOOKS = 4;

/** Retries when the process ended during the inspection. `look` must not change anything. */
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

/** A look at a container in the moment in which its process ends. */
import { isEngineFailure } from '../errors.js';

/** Podman before 4.4 reads this file of a process that it takes to be running, and fails when it has just ended. */
const stumbled = /\/proc\/\d+\/cgroup: no such process/i;

/** Podman knows of the end when it is asked again; the rest is for one that is started over and over. */
const MOST_LOOKS = 4;

/** Looks again when the engine stumbled over the end of the process. `look` must change nothing. */
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

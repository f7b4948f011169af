/** Retries what fails because something ends or disappears while the engine reads it. */
import { isEngineFailure } from '../errors.js';

/**
 * Podman before 4.4 reads the `cgroup` file of a process it believes to be running, and fails if the process has just
 * ended. Podman reads all images to list them, and to find the parents of one, and fails if any of them was removed
 * since it read their ids. It reads the addresses of the host's interfaces before it creates a network, and fails if one of
 * them, as that of a container that ends, has disappeared in between; nothing has been created then.
 */
const stumbled =
  /\/proc\/\d+\/cgroup: no such process|image with ID "[^"]*"( \([^)]*\))?: (image not known|file does not exist)|route ip\+net: no such network interface/i;

/** Whether a read failed because something ended or disappeared during it, which need not be its subject. */
export const readStumbled = (reason: string): boolean => stumbled.test(reason);

/** Podman succeeds on the second try. The other tries cover repeated restarts and removals. */
const MOST_LOOKS = 4;

/** Retries when something ended or disappeared during a read. `look` must have changed nothing until then. */
export async function lookDespiteEnd<T>(look: () => Promise<T>): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await look();
    } catch (error) {
      if (looks === MOST_LOOKS || !isEngineFailure(error) || !readStumbled(error.message)) throw error;
    }
  }
}

/** Ends the current step of `podman build`. */
import { readdir, readFile } from 'node:fs/promises';

/** The process of podman that runs the container of a `RUN` step. */
const STEP = 'buildah-oci-runtime';

/**
 * A signal ends podman at once, and the container of the step would run on. The process that runs it ends it, and podman
 * then ends because the step failed.
 *
 * @returns whether there was such a process; none outside of Linux
 */
export async function interruptBuild(pid: number): Promise<boolean> {
  let isFound = false;
  for (const child of await childrenOf(pid)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0')[0] === STEP) isFound = signalled(child) || isFound;
    // Without root, podman starts itself again.
    else isFound = (await interruptBuild(child)) || isFound;
  }
  return isFound;
}

/** Each thread has its own list. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGTERM');
  } catch {
    return false; // It has ended meanwhile.
  }
}

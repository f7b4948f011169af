import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whoever waits longer than all these tries waits for something that is stuck. */
const tries = 200;

/** Another process has the turn, and does not end it. */
export class TurnTakenError extends Error {
  override readonly name = 'TurnTakenError';
  /** The file by which it holds the turn. */
  readonly heldBy: string;

  constructor(path: string, heldBy: string) {
    super(`Another process is at work on '${path}'. If none is, remove '${heldBy}'.`);
    this.heldBy = heldBy;
  }
}

/**
 * Does work on a file that only one process of this machine at a time may do.
 *
 * Each contender puts a ticket beside the file, and has the turn if it then sees no other; of two, the one who looks
 * later sees both. Who does not have it takes the ticket back and tries again a little later. The ticket of a process
 * that was killed is removed by the next one: its name is like no other, so that no ticket of a living one can be
 * removed by mistake, as could happen to a lock file that has one name for all.
 *
 * @param path in a folder that exists
 * @param pause waits before another try; the default is up to 40 ms, left to chance so that contenders part
 * @throws TurnTakenError after 200 tries
 */
export async function inTurn<T>(path: string, work: () => Promise<T>, pause: () => Promise<void> = aWhile): Promise<T> {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.turn-`;
  let other: string | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const own = `${prefix}${process.pid}-${randomUUID()}`;
    try {
      await writeFile(join(folder, own), '', { flag: 'wx', mode: 0o600 });
      other = await otherTicket(folder, prefix, own);
      if (other === undefined) return await work();
    } finally {
      await rm(join(folder, own), { force: true });
    }
    await pause();
  }
  throw new TurnTakenError(path, join(folder, other ?? ''));
}

async function otherTicket(folder: string, prefix: string, own: string): Promise<string | undefined> {
  let other: string | undefined;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || name === own) continue;
    if (isAlive(Number(/^\d+/.exec(name.slice(prefix.length))?.[0]))) other = name;
    else await rm(join(folder, name), { force: true });
  }
  return other;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true; // not a ticket of ours: not ours to remove
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function aWhile(): Promise<void> {
  return delay(Math.random() * 40);
}

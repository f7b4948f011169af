import { access, constants, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
const roomNeeded = 4 * 1024 ** 3;

/**
 * Creates a folder for the files of a disposable PostgreSQL. It is in memory where that has room: a database is created
 * there in less than a tenth of the time (72 instead of 865 ms), and nearly every test file creates one.
 *
 * @param prefix how its name begins
 */
export async function createClusterFolder(prefix: string): Promise<string> {
  return mkdtemp(path.join((await hasRoomInMemory()) ? memory : tmpdir(), prefix));
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= roomNeeded;
  } catch {
    return false; // There is no such folder outside Linux.
  }
}

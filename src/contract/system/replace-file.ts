import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file, with mode 0600 unless another is given. It is written to a temporary file, flushed, then renamed: a reader sees the old content
 * or the new.
 */
export async function replaceFile(path: string, content: string, mode = 0o600): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // Report the first error.
    throw error;
  }
}

/**
 * Removes the temporary files of `replaceFile` that processes left when they were killed. Nothing may be writing in the
 * folder.
 */
export async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => /\.[0-9a-f]{12}\.tmp$/.test(name));
  await Promise.all(drafts.map((name) => rm(join(folder, name), { force: true })));
}

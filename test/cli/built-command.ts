import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { inject } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Any number that no other test takes as its advisory lock. */
const buildLock = 42_001;

/**
 * The built command, `dist/src/cli/main.cjs`: what users run. It is built anew when a source is newer. Test files run
 * at the same time, so only one builds while the others wait for the lock.
 */
export async function builtCommand(): Promise<string> {
  const command = join(root, 'dist/src/cli/main.cjs');
  const lock = postgres(inject('databaseAdminUri'), { max: 1, onnotice: () => undefined });
  try {
    await lock`select pg_advisory_lock(${buildLock})`;
    if ((await newestChange('src', 'generated', 'sdk/src')) > (await changeOf(command))) {
      await promisify(execFile)(
        process.execPath,
        ['--conditions=@plumbline/source', '--import', 'tsx', 'src/codegen/build/build.ts'],
        { cwd: root },
      );
    }
  } finally {
    await lock.end();
  }
  return command;
}

async function newestChange(...folders: readonly string[]): Promise<number> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.filter((file) => !/\/(?:dist|node_modules)\//.test(file.slice(root.length)));
    }),
  );
  return Math.max(...(await Promise.all(lists.flat().map(changeOf))));
}

/** In ms since 1970; 0 for a file that is not there. */
async function changeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.mtimeMs ?? 0;
}

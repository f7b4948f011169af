/** Where servers store their addresses, for commands that run on the same machine with other settings. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@plumbline/contract/contract-types';
import type { PlatformSettings } from '../platform/server/settings.js';

type Home = Pick<PlatformSettings, 'home'>;

/** Several servers can share a home, so each has a file, which is named after its address. */
const folderOf = ({ home }: Home): string => join(home, 'servers');
const fileOf = (settings: Home, url: string): string => join(folderOf(settings), encodeURIComponent(url));

/** Servers that were killed leave their files. Only the newest are read. */
const mostRead = 8;

/** If the home is not writable, the server runs without the file. */
export async function writeServerAddress(settings: Home, url: string, log: Log): Promise<void> {
  try {
    await mkdir(folderOf(settings), { recursive: true });
    await writeFile(fileOf(settings, url), '');
  } catch (error) {
    log.debug({ err: error }, 'the address of the server was not recorded');
  }
}

/** Removes the address of this server. The addresses of others stay. */
export async function removeServerAddress(settings: Home, url: string): Promise<void> {
  await rm(fileOf(settings, url), { force: true });
}

/** Reads the stored addresses, newest first. The servers may have ended, so the caller checks which one answers. */
export async function readServerAddresses(settings: Home): Promise<string[]> {
  const folder = folderOf(settings);
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => ({ name, time: await stat(join(folder, name)).then(timeOf, () => 0) })),
  );
  return files
    .toSorted((one, other) => other.time - one.time)
    .flatMap(({ name }) => addressOf(name) ?? [])
    .slice(0, mostRead);
}

function timeOf({ mtimeMs }: { readonly mtimeMs: number }): number {
  return mtimeMs;
}

/** The address after which a file is named; null: it is not one of ours. */
function addressOf(name: string): string | null {
  try {
    return /^http:\/\/\S{1,256}$/.exec(decodeURIComponent(name))?.[0] ?? null;
  } catch {
    return null; // not percent-encoded
  }
}

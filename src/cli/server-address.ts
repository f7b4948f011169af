/** The file in which a server stores its address, for commands that run on the same machine with other settings. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@plumbline/contract/contract-types';
import type { PlatformSettings } from '../platform/server/settings.js';

type Home = Pick<PlatformSettings, 'home'>;

const fileOf = ({ home }: Home): string => join(home, 'server-address');

/** If the home is not writable, the server runs without the file. */
export async function writeServerAddress(settings: Home, url: string, log: Log): Promise<void> {
  try {
    await writeFile(fileOf(settings), `${url}\n`);
  } catch (error) {
    log.debug({ err: error }, 'the address of the server was not recorded');
  }
}

/** Removes the file, unless another server has replaced it. */
export async function removeServerAddress(settings: Home, url: string): Promise<void> {
  if ((await readServerAddress(settings)) === url) await rm(fileOf(settings), { force: true });
}

/**
 * Reads the stored address. The server may have ended, so the caller checks which server answers. @returns null if
 * there is no address
 */
export async function readServerAddress(settings: Home): Promise<string | null> {
  const text = await readFile(fileOf(settings), 'utf8').catch(() => '');
  return /^http:\/\/\S{1,256}$/.exec(text.trim())?.[0] ?? null;
}

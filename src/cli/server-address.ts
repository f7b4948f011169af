/** The file in which a server leaves its address, for commands that run beside it with other settings. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../generated/contract.js';
import type { PlatformSettings } from '../platform/settings.js';

type Home = Pick<PlatformSettings, 'home'>;

const fileOf = ({ home }: Home): string => join(home, 'server-address');

/** A server whose home cannot be written to runs without the file. */
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

/** The server may have ended since: the caller checks who answers there. @returns null if there is no address */
export async function readServerAddress(settings: Home): Promise<string | null> {
  const text = await readFile(fileOf(settings), 'utf8').catch(() => '');
  return /^http:\/\/\S{1,256}$/.exec(text.trim())?.[0] ?? null;
}

/** Finds the server that can show the demo, or proposes the command to start one. */
import { createServer } from 'node:net';
import { localUrl } from '../platform/server/local-url.js';
import type { PlatformSettings } from '../platform/server/settings.js';
import { readServerAddresses } from './server-address.js';

export interface DemoServer {
  /** The address of the server. */
  readonly url: string;
  /** The command that starts it; null: it is running. */
  readonly command: string | null;
}

type Listening = Pick<PlatformSettings, 'host' | 'port'>;

const defaultPort = 8080;
/** The maximum number of ports to try. */
const mostPorts = 100;

/**
 * Finds the server of the demo. If another program uses its port, or a Plumbline server with another database, the next
 * free port is proposed.
 *
 * @param keyIds ids of the signing keys of this database, which identify its servers
 */
export async function findDemoServer(
  settings: Listening & Pick<PlatformSettings, 'home'>,
  keyIds: ReadonlySet<string>,
): Promise<DemoServer> {
  // A running server may use another port than the current settings.
  for (const url of [localUrl(settings), ...(await readServerAddresses(settings))]) {
    const served = await keyIdsOf(url);
    if (served.some((id) => keyIds.has(id))) return { url, command: null };
  }
  const configured = settings.port === 0 ? defaultPort : settings.port;
  const port = await freePort({ ...settings, port: configured });
  const option = port === defaultPort ? '' : ` --port ${port}`;
  return { url: localUrl({ ...settings, port }), command: `npx plumbline serve${option}` };
}

/** The ids of the keys of the server at an address; empty if no Plumbline server answers there. */
async function keyIdsOf(url: string): Promise<readonly string[]> {
  try {
    const reply = await fetch(`${url}/.well-known/jwks.json`, { signal: AbortSignal.timeout(1000) });
    const set: unknown = await reply.json();
    const keys: unknown = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : null;
    return Array.isArray(keys) ? keys.map((key: unknown) => String(Reflect.get(Object(key) as object, 'kid'))) : [];
  } catch {
    return [];
  }
}

/** The first free port, starting with the port of the settings; that port itself if all are in use. */
async function freePort({ host, port: first }: Listening): Promise<number> {
  const last = Math.min(65_535, first + mostPorts - 1);
  for (let port = first; port <= last; port++) if (await isFree(host, port)) return port;
  return first;
}

function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** Stands between a client and an engine's socket, and breaks what the engine itself breaks only now and then. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CuttingProxy {
  readonly path: string;
  /** Ends the streams of events that are under way: as a reply that is complete, or in the middle of one. */
  cut(how: 'ended' | 'broken'): void;
  /** Breaks everything off and takes nothing on until `back`; settles when a client has tried in vain. */
  away(): Promise<void>;
  back(): void;
  close(): Promise<void>;
}

/** @param engine the path of the engine's socket */
export async function cuttingProxy(engine: string): Promise<CuttingProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'plt-proxy-'));
  const path = join(folder, 's');
  const clients = new Set<Socket>();
  const events = new Set<Socket>();
  let refused: (() => void) | undefined;

  const server = createServer((client) => {
    client.on('error', () => undefined); // Broken by us, or by a client that has left.
    if (refused !== undefined) {
      client.destroy();
      refused();
      return;
    }
    const toEngine = connect(engine);
    toEngine.on('error', () => client.destroy());
    client.on('close', () => {
      toEngine.destroy();
      clients.delete(client);
      events.delete(client);
    });
    clients.add(client);
    client.on('data', (data: Buffer) => {
      if (data.includes('GET /events')) events.add(client);
      toEngine.write(data);
    });
    toEngine.on('data', (data: Buffer) => client.write(data));
    toEngine.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));

  return {
    path,
    cut(how) {
      for (const client of events) {
        // The last chunk of a chunked reply has no bytes.
        if (how === 'ended') client.end('0\r\n\r\n');
        else client.destroy();
      }
      events.clear();
    },
    away() {
      for (const client of clients) client.destroy();
      return new Promise((resolve) => (refused = resolve));
    },
    back() {
      refused = undefined;
    },
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

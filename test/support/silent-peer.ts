import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export interface SilentPeer {
  readonly port: number;
  stop(): void;
}

/** Starts a peer on loopback that accepts connections and bytes, and says nothing. */
export async function startSilentPeer(): Promise<SilentPeer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    sockets.push(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is never a path
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

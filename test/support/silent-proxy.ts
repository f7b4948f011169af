import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can become silent as a dead network does: it accepts connections and bytes, and passes nothing on. */
export interface SilentProxy {
  readonly port: number;
  /** Passes nothing on, on new connections either. */
  silence(): void;
  /** Passes nothing on, on the connections that are open now. New ones work. */
  silenceOpenConnections(): void;
  /** Passes on everything, also what was held back. */
  heal(): void;
  stop(): Promise<void>;
}

/** Starts a proxy on loopback, at `port` or a free one, to a port of loopback. */
export async function startSilentProxy(targetPort: number, port = 0): Promise<SilentProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    const pair = [client, target] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        target.destroy();
        pairs.delete(pair);
      });
    }
    client.pipe(target).pipe(client);
    if (isSilent) silencePair(pair);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  const silenceOpenConnections = (): void => {
    for (const pair of pairs) silencePair(pair);
  };
  return {
    port: address.port,
    silenceOpenConnections,
    silence: () => {
      isSilent = true;
      silenceOpenConnections();
    },
    heal: () => {
      isSilent = false;
      for (const [client, target] of pairs) client.pipe(target).pipe(client);
    },
    stop: async () => {
      for (const socket of [...pairs].flat()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function silencePair([client, target]: readonly [Socket, Socket]): void {
  client.unpipe(target);
  target.unpipe(client);
  client.pause();
  target.pause();
}

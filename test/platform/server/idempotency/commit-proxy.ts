/** Stands between a server and PostgreSQL, and can keep the news of a commit from the server. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CommitProxy {
  /** The database through the proxy. */
  readonly uri: string;
  /** Holds back everything from the next COMMIT of a connection that stored a reply; resolves when it is completed. */
  holdNextCommit(): Promise<void>;
  close(): void;
}

/** `CommandComplete` of a COMMIT (PostgreSQL, "Message Formats"). */
const committed = Buffer.from('C\0\0\0\x0bCOMMIT\0');

/** @param databaseUri a database that is reached over TCP */
export async function startCommitProxy(databaseUri: string): Promise<CommitProxy> {
  const database = new URL(databaseUri);
  const sockets = new Set<Socket>();
  let held: (() => void) | null = null;
  const server = createServer((client) => {
    const backend = connect(Number(database.port), database.hostname);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => undefined); // ended by the other side
    }
    let stores = false;
    let isHeld = false;
    client.on('data', (data: Buffer) => {
      stores ||= data.includes('insert into idempotency_keys');
      backend.write(data);
    });
    client.on('close', () => backend.destroy());
    backend.on('data', (data: Buffer) => {
      if (stores && held !== null && data.includes(committed)) {
        isHeld = true;
        held();
        held = null;
      }
      if (!isHeld) client.write(data);
    });
    backend.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const uri = new URL(databaseUri);
  uri.hostname = '127.0.0.1';
  uri.port = String((server.address() as AddressInfo).port); // a TCP server's address is never a path
  return {
    uri: uri.href,
    holdNextCommit: () => new Promise((resolve) => (held = resolve)),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

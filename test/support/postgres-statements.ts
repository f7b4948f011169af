import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A PostgreSQL address that notes every statement that passes. */
export interface StatementCounter {
  /** The database's address by way of this proxy. */
  readonly uri: string;
  /** The texts of the statements that were executed since the last call, over all connections, in their order. */
  take(): string[];
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of the database at `uri`. It passes every byte on as it is, and reads along: what a server
 * executes is counted where it says so, in the protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html),
 * not in the code that is under test.
 */
export async function startStatementCounter(uri: string): Promise<StatementCounter> {
  const target = new URL(uri);
  const executed: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const read = createMessageReader((statement) => executed.push(statement));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(uri);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port); // a TCP server's address is never a path
  return {
    uri: through.href,
    take: () => executed.splice(0).map((statement) => statement.replaceAll(/\s+/g, ' ').trim()),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Follows one client's messages: `Parse` names a statement, `Bind` a portal of it, `Execute` runs that. */
function createMessageReader(executed: (statement: string) => void): (chunk: Buffer) => void {
  const statements = new Map<string, string>();
  const portals = new Map<string, string>();
  let started = false;
  let rest = Buffer.alloc(0);

  const message = (type: string, body: Buffer): void => {
    const [first, afterFirst] = text(body, 0);
    if (type === 'Q') executed(first);
    if (type === 'P') statements.set(first, text(body, afterFirst)[0]);
    if (type === 'B') portals.set(first, statements.get(text(body, afterFirst)[0]) ?? 'unknown statement');
    if (type === 'E') executed(portals.get(first) ?? 'unknown portal');
  };
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The startup message alone has no type.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (started) message(String.fromCharCode(rest[0] ?? 0), rest.subarray(head + 4, end));
      started = true;
      rest = rest.subarray(end);
    }
  };
}

/** A string that ends in a zero byte, and where the next field begins. */
function text(body: Buffer, from: number): [string, number] {
  const end = body.indexOf(0, from);
  return end === -1 ? ['', body.length] : [body.toString('utf8', from, end), end + 1];
}

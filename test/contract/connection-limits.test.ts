import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as requestPlain, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { closeStalled } from '../../src/contract/connection-limits.js';
import { listen, type ServerAddress, type TlsMaterial } from '../../src/contract/server.js';
import { createCertificates, missingOpenssl } from '../support/certificates.js';

/** Far more than the buffers of the system take. */
const large = Buffer.alloc(24 * 1024 * 1024);

test('A connection with many unanswered requests is closed, and a few of them are answered', async () => {
  let answered = 0;
  const answer = (_request: unknown, response: ServerResponse): void => {
    answered += 1;
    response.end(large);
  };
  const server = await listen(answer, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  const { port } = new URL(server.url);
  const client = connect(Number(port), '127.0.0.1');
  client.on('error', () => undefined); // The server closes it.
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200));
  await once(client.resume(), 'close');
  expect(answered).toBeLessThanOrEqual(8);
});

test('Requests one after the other on a connection are not limited', async () => {
  const server = await listen((_request, response) => void response.end('x'), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(0));
  for (let round = 0; round < 30; round++) expect((await fetch(server.url)).status).toBe(200);
});

test('A connection whose client does not read its replies is closed; another one stays open', async () => {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    connections.add(socket);
    socket.write(connections.size === 1 ? large : 'a few bytes');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = closeStalled(connections, 100);
  const { port } = server.address() as AddressInfo; // Listening on TCP.
  const clients = [connect(port, '127.0.0.1').pause(), connect(port, '127.0.0.1')];
  onTestFinished(() => {
    clearInterval(timer);
    for (const client of clients) client.destroy();
    server.close();
  });
  for (const client of clients) client.on('error', () => undefined);
  await expect.poll(() => [...connections].map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

test('A socket without a handle of the system is closed when what it has to send stays', async () => {
  const socket = new Socket();
  socket.cork();
  socket.write('waits');
  const timer = closeStalled(new Set([socket]), 100);
  onTestFinished(() => {
    clearInterval(timer);
    socket.destroy();
  });
  await expect.poll(() => socket.destroyed).toBe(true);
});

/** Reads at most 6.5 MB per second: for all of a large reply longer than a client may read nothing. */
async function readSlowly(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  let pauses = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    for (; pauses < Math.floor(bytes / 131_072); pauses++) await delay(20);
  }
  return bytes;
}

async function expectOnlyTheUnreadClosed(address: ServerAddress, tls: TlsMaterial | null = null): Promise<void> {
  const closed: (string | undefined)[] = [];
  const server = await listen(
    ({ url }, response) => {
      response.once('close', () => closed.push(url));
      response.end(large);
    },
    address,
    tls,
  );
  const connections = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => connections.add(socket));
  const timer = closeStalled(connections, 2000);
  onTestFinished(async () => {
    clearInterval(timer);
    await server.stop(0);
  });

  const get = async (path: string): Promise<IncomingMessage> => {
    const options: RequestOptions = { path, agent: false };
    const sent =
      'path' in address
        ? requestPlain({ ...options, socketPath: address.path })
        : tls === null
          ? requestPlain(server.url, options)
          : requestTls(server.url, { ...options, rejectUnauthorized: false });
    const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
    return response;
  };
  const unread = await get('/unread');
  unread.on('error', () => undefined); // The server closes it.
  expect(await readSlowly(await get('/slow'))).toBe(large.length);
  await expect.poll(() => closed.toSorted(), { timeout: 10_000 }).toEqual(['/slow', '/unread']);
}

const closesOnlyTheUnread = 'a client that reads nothing is closed, one that reads slowly gets all of a large reply';

test(`Over HTTP, ${closesOnlyTheUnread}`, { timeout: 30_000 }, async () => {
  await expectOnlyTheUnreadClosed({ host: '127.0.0.1', port: 0 });
});

test(`On a Unix socket, ${closesOnlyTheUnread}`, { timeout: 30_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-stalled-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await expectOnlyTheUnreadClosed({ path: join(folder, 'server.sock') });
});

const missing = missingOpenssl();

test.skipIf(missing !== null)(
  `Over TLS, ${closesOnlyTheUnread}${missing === null ? '' : ` (${missing})`}`,
  { timeout: 30_000 },
  async () => {
    const certificates = await createCertificates();
    onTestFinished(() => certificates.remove());
    const { cert, key } = certificates.issue(certificates.authority('Ours'), 'server');
    await expectOnlyTheUnreadClosed({ host: '127.0.0.1', port: 0 }, { cert, key });
  },
);

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closeStalled } from '../../src/contract/connection-limits.js';
import { listen } from '../../src/contract/server.js';

const large = Buffer.alloc(16 * 1024 * 1024);

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

import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listen } from '../../src/contract/server.js';
import { sendRaw } from '../support/recorder-raw.js';
import { startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
let arrived: Promise<void>;
let finish: () => void;
beforeEach(async () => {
  let arrive = (): void => undefined;
  arrived = new Promise((resolve) => (arrive = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  workshop = await startWorkshop({
    handlers: {
      readTool: async () => {
        arrive();
        await finished;
        return { status: 200, body: { id: 1, name: 'Saw', note: null, parts: [] } };
      },
    },
  });
});
afterEach(() => workshop.close());

const farAway = 60_000;

test('Stopping lets running requests finish, and accepts no new connections', async () => {
  const underWay = workshop.fetch('/tools/1');
  await arrived;
  const stopped = workshop.server.stop(farAway);
  // Connections that the system has accepted before are still served.
  await vi.waitFor(() => expect(fetch(`${workshop.url}/tools`)).rejects.toThrow());
  finish();
  expect((await underWay).status).toBe(200);
  await stopped;
});

test('Stopping does not wait for idle connections', async () => {
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(httpRequest(`${workshop.url}/tools`, { agent }).end(), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  await once(response, 'end');
  await workshop.server.stop(farAway);
  agent.destroy();
});

test('Connections that are open at the deadline are cut', async () => {
  const underWay = workshop.fetch('/tools/1');
  await arrived;
  const cut = expect(underWay).rejects.toThrow();
  await workshop.server.stop(1);
  await cut;
  finish();
});

test('Data that are not HTTP are answered with 400, and the connection is closed', async () => {
  expect(await sendRaw(workshop.url, 'HELLO\r\n\r\n')).toMatchObject({ status: 400, closed: true });
});

test('A connection that ends without a request is not a failure', async () => {
  const socket = connect(Number(new URL(workshop.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  expect((await workshop.fetch('/tools')).status).toBe(200);
  expect(workshop.log).toEqual([]);
});

test('An address in use is refused with the error of the system', async () => {
  const port = Number(new URL(workshop.url).port);
  await expect(listen(() => undefined, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('The address of a server on IPv6 is a URL', async ({ skip }) => {
  const server = await listen(() => undefined, { host: '::1', port: 0 }).catch(() => null);
  if (server === null) return skip('this machine has no IPv6');
  expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  await server.stop(0);
});

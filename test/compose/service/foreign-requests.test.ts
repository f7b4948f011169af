import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseListenAddress } from '../../../src/compose/service/listen-address.js';
import { prepareListening, type ListenOptions } from '../../../src/compose/service/listening.js';
import { captureLog } from '../../support/captured-log.js';
import { createCertificates, missingOpenssl } from '../../support/certificates.js';
import { exampleRequests, initOf, urlOf } from '../../support/examples.js';
import { recordExchange } from '../../support/recorder.js';
import { runService, shop, type RunningService } from './running-service.js';

type Headers = Readonly<Record<string, string>>;

/** Sends what `fetch` would not: a browser alone may set these headers. */
async function send(
  base: string,
  path: string,
  headers: Headers,
  options: RequestOptions & { ca?: string; body?: string } = {},
): Promise<{ status: number; body: string }> {
  const { method = 'GET', body: content, ...rest } = options;
  const url = base + path;
  const open = url.startsWith('https:') ? requestTls : request;
  const sent = open(url, { method, headers, agent: false, ...rest }).end(content);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const status = response.statusCode ?? 0;
  const body = await text(response);
  const found = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
  recordExchange('compose', { method, url, status, headers: Object.fromEntries(found), body });
  return { status, body };
}

describe('a page of another site', () => {
  let running: RunningService;
  beforeAll(async () => {
    running = await runService();
    await running.up('shop', shop);
  });
  afterAll(() => running.stop());

  test.each(exampleRequests('compose').map((example) => [example.operationId, example] as const))(
    'is refused %s: 403',
    async (_id, example) => {
      const { method, headers, body } = initOf(example);
      const from = { ...headers, Origin: 'https://news.example.com' };
      const reply = await send(running.url, urlOf(example), from, { method, ...(body !== undefined && { body }) });
      expect([reply.status, JSON.parse(reply.body)]).toMatchObject([403, { type: '/problems/foreign-request' }]);
    },
  );

  const statusOf = async (): Promise<unknown> => {
    const found = await running.expect(200, 'GET', '/containers/shop-web');
    return (found as { status: unknown }).status;
  };

  test.each<[string, Headers]>([
    ['by a form', { Origin: 'https://news.example.com', 'Content-Type': 'text/plain' }],
    ['by a form in a sandbox', { Origin: 'null' }],
    ['from another port of this machine', { Origin: 'http://localhost:3000' }],
    ['from something that is not an origin', { Origin: '127.0.0.1' }],
    ['in a browser that only says how near it is', { 'Sec-Fetch-Site': 'cross-site' }],
    ['of a sister site', { 'Sec-Fetch-Site': 'same-site' }],
    ['of a name that was made to lead here', { Host: 'rebound.example.com' }],
    ['of such a name, which is its own origin', { Host: 'evil.example:80', Origin: 'http://evil.example:80' }],
    ['of a name that begins like an address', { Host: '127.0.0.1.evil.example' }],
    ['of a name that is none', { Host: '[::1' }],
  ])('stops no container %s', async (_, headers) => {
    const { status } = await send(running.url, '/containers/shop-web/stop', headers, { method: 'POST' });
    expect([status, await statusOf()]).toEqual([403, 'running']);
  });

  test('explains how to allow an unknown host name', async () => {
    const { body } = await send(running.url, '/_ping', { Host: 'box.example.com:7070' });
    expect(JSON.parse(body)).toMatchObject({
      message:
        "This server does not accept the host name 'box.example.com:7070'. Use its address, or start it with --allow-host.",
    });
  });

  test.each(['127.0.0.1', '127.0.0.1:1', 'localhost', 'LOCALHOST:7070', '[::1]:7070'])(
    'does not include requests %s',
    async (host) => {
      expect((await send(running.url, '/_ping', { Host: host })).status).toBe(200);
    },
  );

  test('does not include the pages of the server itself, or an address typed by the user', async () => {
    const host = new URL(running.url).host;
    for (const headers of [
      { Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: `http://LOCALHOST:1`, Host: 'localhost:1' },
    ]) {
      expect((await send(running.url, '/_ping', headers)).status).toBe(200);
    }
  });
});

describe('the names of a server', () => {
  let running: RunningService;
  afterEach(() => running.stop());
  const address = (text: string): ListenOptions['address'] => parseListenAddress(text, '/home/robin');
  const ping = async (host: string, options = {}): Promise<number> =>
    (await send(running.url.replace('0.0.0.0', '127.0.0.1'), '/_ping', { Host: host }, options)).status;

  test('are the configured ones', async () => {
    const allowedHosts = ['Box.example.com', 'fd00::1', '[fd00::2]'];
    running = await runService({ listen: { address: address('tcp://127.0.0.1:0'), allowedHosts } });
    const statuses = await Promise.all(
      ['box.example.com:7070', '[fd00::1]:80', '[fd00::2]', 'box.example.org'].map((host) => ping(host)),
    );
    expect(statuses).toEqual([200, 200, 200, 403]);
  });

  test('include the address of the connection if it listens on all addresses', async () => {
    running = await runService({ listen: { address: address('tcp://0.0.0.0:0'), insecure: true } });
    expect(await Promise.all([ping('127.0.0.1'), ping('0.0.0.0'), ping('192.0.2.1')])).toEqual([200, 200, 403]);
  });

  const missing = missingOpenssl();
  test.skipIf(missing !== null)(
    `include those of its certificate${missing === null ? '' : ` (${missing})`}`,
    async () => {
      const certificates = await createCertificates();
      const authority = certificates.authority('Ours');
      const { certFile: cert, keyFile: key } = certificates.issue(authority, 'server');
      running = await runService({ listen: { address: address('tls://127.0.0.1:0'), cert, key } });
      await certificates.remove();
      const options = { ca: authority.cert, servername: 'localhost', headers: {} };
      const named = await ping('localhost', { ...options, headers: { Host: 'localhost' } });
      const other = await ping('x', { ...options, headers: { Host: 'evil.example' } });
      expect([named, other]).toEqual([200, 403]);
    },
  );
});

test.each(['', 'a b', 'http://box', 'box:7070', '[fd00::1]:7070', 'box/'])('%j is refused as a name', async (name) => {
  const listen = { address: { scheme: 'tcp', host: '127.0.0.1', port: 0 }, allowedHosts: [name] } as const;
  await expect(prepareListening(listen, captureLog().log)).rejects.toMatchObject({
    name: 'ListenOptionsError',
    message: expect.stringContaining('is not a host'),
  });
});

test('A Unix socket takes no names', async () => {
  const listen = { address: { scheme: 'unix', path: '/run/x.sock' }, allowedHosts: ['box'] } as const;
  await expect(prepareListening(listen, captureLog().log)).rejects.toThrow('only a tcp:// or tls:// address has hosts');
});

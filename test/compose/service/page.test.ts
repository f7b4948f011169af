import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../../../src/compose/runtime/clock.js';
import { createMovableClock } from '../../support/clock.js';
import { exampleRequests, initOf, urlOf } from '../../support/examples.js';
import { recordExchange, recordingFetch } from '../../support/recorder.js';
import { runService, shop, type RunningService } from './running-service.js';

type Headers = Readonly<Record<string, string>>;

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Asks for a document, which is not in the contract. */
async function get(url: string, headers: Headers = {}): Promise<Reply> {
  const sent = request(url, { agent: false, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Sends what `fetch` would not: cookies, and the headers that only a browser sets. */
async function send(url: string, method: string, headers: Headers = {}, body?: unknown): Promise<Reply> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const sent = request(url, { method, agent: false, headers: { ...type, ...headers } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const reply = { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  const found = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]);
  recordExchange('compose', { ...reply, method, url, headers: Object.fromEntries(found) });
  return reply;
}

const tokenOf = (link: string): string => new URL(link).hash.replace('#link=', '');

/** Opens a link as the page does, and gives the headers that its requests then have. */
async function enter(running: RunningService, link = running.access.createLink().url): Promise<Headers> {
  const reply = await send(`${running.url}/ui/session`, 'POST', {}, { token: tokenOf(link) });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.body}`);
  const { key } = JSON.parse(reply.body) as { key: string };
  const [cookie = ''] = reply.headers['set-cookie']?.[0]?.split(';') ?? [];
  return { Cookie: cookie, 'X-Plumbline-Page': key };
}

const typeOf = ({ body }: Reply): unknown => (JSON.parse(body) as { type: unknown }).type;
const required = [401, '/problems/page-session-required'];

describe('An address with the page', () => {
  let running: RunningService;
  let browser: Headers;
  beforeAll(async () => {
    running = await runService({ page: true });
    browser = await enter(running);
  });
  afterAll(() => running.stop());

  const withoutSession = exampleRequests('compose').filter(({ operationId }) => operationId !== 'startPageSession');
  test.each(withoutSession.map((example) => [example.operationId, example] as const))(
    'refuses %s without a session: 401',
    async (_id, example) => {
      const reply = await recordingFetch('compose')(running.url + urlOf(example), initOf(example));
      expect([reply.status, await reply.json()]).toMatchObject([401, { type: '/problems/page-session-required' }]);
      expect(reply.headers.get('WWW-Authenticate')).toBe('Cookie realm="plumbline compose ui"');
    },
  );

  test.each(['/docs', '/openapi.json', '/problems', '/problems/not-found', '/console/', '/nowhere'])(
    'refuses the document %s without a session: 401',
    async (path) => {
      const reply = await get(running.url + path);
      expect([reply.status, typeOf(reply)]).toEqual(required);
    },
  );

  test.each(['OPTIONS', 'TRACE', 'PUT', 'PATCH'])(
    'refuses the unknown path %s without a session: 401',
    async (method) => {
      for (const path of ['/info', '/containers/x', '/projects/x', '/nowhere']) {
        const sent = request(running.url + path, { method, agent: false }).end();
        const [reply] = (await once(sent, 'response')) as [IncomingMessage];
        expect([path, reply.statusCode, reply.headers['allow']]).toEqual([path, 401, undefined]);
        expect(JSON.parse(await text(reply))).toMatchObject({ type: '/problems/page-session-required' });
      }
    },
  );

  test.each(['/docs', '/openapi.json', '/problems', '/problems/page-session-required'])(
    'forbids caches to store %s',
    async (path) => {
      const reply = await get(running.url + path, { Cookie: browser['Cookie'] ?? '' });
      expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
    },
  );

  test('answers its session, also documents that a browser opens without the header', async () => {
    expect((await send(`${running.url}/info`, 'GET', browser)).status).toBe(200);
    const { Cookie = '' } = browser;
    expect((await get(`${running.url}/problems`, { Cookie })).status).toBe(200);
  });

  test('sets a cookie that scripts and other sites cannot use, named after its port', async () => {
    const { url } = running.access.createLink();
    const reply = await send(`${running.url}/ui/session`, 'POST', {}, { token: tokenOf(url) });
    const { port } = new URL(running.url);
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^plumbline-compose-${port}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`),
      ),
    ]);
  });

  test('opens a link once: the second use is 401', async () => {
    const { url } = running.access.createLink();
    await enter(running, url);
    const reply = await send(`${running.url}/ui/session`, 'POST', {}, { token: tokenOf(url) });
    expect([reply.status, typeOf(reply)]).toEqual([401, '/problems/page-link-refused']);
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  test('accepts only the newest link', async () => {
    const older = running.access.createLink().url;
    await enter(running);
    const reply = await send(`${running.url}/ui/session`, 'POST', {}, { token: tokenOf(older) });
    expect([reply.status, typeOf(reply)]).toEqual([401, '/problems/page-link-refused']);
  });

  test('refuses a token that it did not issue', async () => {
    running.access.createLink();
    const reply = await send(`${running.url}/ui/session`, 'POST', {}, { token: 'A'.repeat(43) });
    expect(reply.status).toBe(401);
  });

  test.each<[string, (own: Headers) => Headers]>([
    ['the cookie alone, as another port of the host reads it', ({ Cookie = '' }) => ({ Cookie })],
    ['the key alone', (own) => ({ 'X-Plumbline-Page': own['X-Plumbline-Page'] ?? '' })],
    ['the key of another session', (own) => ({ ...own, 'X-Plumbline-Page': 'A'.repeat(43) })],
    ['a cookie that is none of ours', (own) => ({ ...own, Cookie: 'plumbline-compose-1=A' })],
    [
      'the right value in a cookie of another port',
      (own) => ({ ...own, Cookie: `plumbline-compose-1=${valueOf(own)}` }),
    ],
  ])('refuses %s', async (_, change) => {
    const reply = await send(`${running.url}/info`, 'GET', change(browser));
    expect([reply.status, typeOf(reply)]).toEqual(required);
  });

  test('finds its cookie after one of the same name from another port', async () => {
    const [name = ''] = (browser['Cookie'] ?? '').split('=');
    const reply = await send(`${running.url}/info`, 'GET', { ...browser, Cookie: `${name}=A; ${browser['Cookie']}` });
    expect(reply.status).toBe(200);
  });

  test.each<[string, Headers]>([
    ['a page of another site', { Origin: 'https://news.example.com' }],
    ['a page of another port', { Origin: 'http://127.0.0.1:3000' }],
    ['a page of another port that says only how near it is', { 'Sec-Fetch-Site': 'same-site' }],
    ['a name that was made to lead here', { Host: 'rebound.example.com' }],
  ])('refuses %s, also with the session: 403', async (_, headers) => {
    const changed = await send(`${running.url}/projects/none/down`, 'POST', { ...browser, ...headers });
    const opened = await send(`${running.url}/ui/session`, 'POST', headers, {
      token: tokenOf(running.access.createLink().url),
    });
    expect([changed, opened].map((reply) => [reply.status, typeOf(reply)])).toEqual([
      [403, '/problems/foreign-request'],
      [403, '/problems/foreign-request'],
    ]);
  });

  test.each(['/ui/', '/console/assets/x.js', '/'])(
    'hides %s from an unknown host name (DNS rebinding)',
    async (path) => {
      expect((await get(running.url + path, { Host: 'rebound.example.com' })).status).toBe(403);
    },
  );

  test('does not redirect the page to itself', async () => {
    expect((await get(`${running.url}/ui/`)).status).not.toBe(302);
    expect((await get(`${running.url}/ui`)).headers.location).toBe('/ui/');
  });

  test('redirects / to the page, also from a link of another site', async () => {
    const reply = await get(`${running.url}/`, {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
    });
    expect([reply.status, reply.headers.location]).toEqual([302, '/ui/']);
  });

  test('issues further links to its session', async () => {
    const reply = await send(`${running.url}/ui/links`, 'POST', browser);
    expect(reply.status).toBe(201);
    await enter(running, (JSON.parse(reply.body) as { url: string }).url);
  });

  test('ends a session, and removes its cookie', async () => {
    const leaving = await enter(running);
    const reply = await send(`${running.url}/ui/session`, 'DELETE', leaving);
    expect([reply.status, reply.headers['set-cookie']?.[0]]).toEqual([
      204,
      expect.stringContaining('=; Path=/; Max-Age=0;'),
    ]);
    expect((await send(`${running.url}/info`, 'GET', leaving)).status).toBe(401);
    expect((await send(`${running.url}/info`, 'GET', browser)).status).toBe(200);
  });

  const valueOf = (headers: Headers): string => (headers['Cookie'] ?? '').split('=')[1] ?? '';
});

describe('Links and sessions', () => {
  const servers: RunningService[] = [];
  const start = async (clock: Clock = systemClock): Promise<RunningService> => {
    const running = await runService({ page: true, clock });
    servers.push(running);
    return running;
  };
  afterEach(async () => {
    for (const each of servers.splice(0)) await each.stop();
  });

  test('are valid on one server only', async () => {
    const [one, other] = [await start(), await start()];
    const link = one.access.createLink().url;
    await expect(enter(other, link)).rejects.toThrow('401');
    const session = await enter(one, link);
    expect((await send(`${other.url}/info`, 'GET', session)).status).toBe(401);
  });

  test('expire: a link after five minutes, a session after twelve hours', async () => {
    const { now, advance } = createMovableClock();
    const running = await start({ ...systemClock, now });
    const session = await enter(running);
    const link = running.access.createLink().url;
    advance(5 * 60);
    await expect(enter(running, link)).rejects.toThrow('401');
    expect((await send(`${running.url}/info`, 'GET', session)).status).toBe(200);
    advance(12 * 60 * 60);
    expect((await send(`${running.url}/info`, 'GET', session)).status).toBe(401);
  });
});

describe('A server without the page', () => {
  let running: RunningService;
  beforeAll(async () => {
    running = await runService();
    await running.up('shop', shop);
  });
  afterAll(() => running.stop());

  test.each([
    ['POST', '/ui/links', {}],
    ['POST', '/ui/session', { body: { token: 'A' } }],
    ['DELETE', '/ui/session', { headers: { 'X-Plumbline-Page': 'A' } }],
  ])(
    'has no links and sessions: %s %s is 404',
    async (method, path, { body, headers }: { body?: unknown; headers?: Headers }) => {
      const reply = await send(running.url + path, method, headers, body);
      expect([reply.status, typeOf(reply)]).toEqual([404, '/problems/page-not-served']);
    },
  );

  test('answers 422 to a request without the key', async () => {
    expect((await send(`${running.url}/ui/session`, 'DELETE')).status).toBe(422);
  });
});

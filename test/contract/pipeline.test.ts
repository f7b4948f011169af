import { afterEach, describe, expect, test } from 'vitest';
import { sendRaw } from '../support/recorder-raw.js';
import { addTool, countingLimiter, startWorkshop, type Workshop, type WorkshopOptions } from './workshop.js';

let workshop: Workshop;
const start = async (options?: WorkshopOptions): Promise<void> => {
  workshop = await startWorkshop(options);
};
afterEach(() => workshop.close());

const problemOf = async (response: Response): Promise<unknown> => response.json();

describe('the order of the steps', () => {
  /** Wrong in every way; each step is tested by mending all that is wrong before it. */
  const wrong = { accept: 'image/png', type: 'text/plain', size: 3000, token: '', text: '{', name: '' };
  const steps: [status: number, mended: Partial<typeof wrong>][] = [
    [406, {}],
    [415, { accept: 'application/json' }],
    [413, { type: 'application/json' }],
    [429, { size: 0 }],
    [401, {}],
    [400, { token: 'kim' }],
    [422, { text: '{"name":""}' }],
    [403, { text: '{"name":"Saw"}' }],
    [201, { token: 'robin' }],
  ];

  test('is 406, 415, 413, 429, 401, 400, 422, 403, handler', async () => {
    await start({ rateLimiter: countingLimiter({ ADD_IP_LIMIT: 0 }) });
    const statuses: number[] = [];
    let request = wrong;
    for (const [status, mended] of steps) {
      request = { ...request, ...mended };
      if (status === 401) await workshop.close().then(() => start());
      const headers: Record<string, string> = { Accept: request.accept, 'Content-Type': request.type };
      if (request.token !== '') headers['Authorization'] = `Bearer ${request.token}`;
      const body = request.text + ' '.repeat(request.size);
      statuses.push((await workshop.fetch('/tools', { method: 'POST', headers, body })).status);
    }
    expect(statuses).toEqual(steps.map(([status]) => status));
  });

  test('begins with the route: a request that matches none is 404 or 405', async () => {
    await start();
    const init = { headers: { Accept: 'image/png', 'Content-Type': 'x/y' }, body: '{' };
    expect((await workshop.fetch('/nowhere', { method: 'POST', ...init })).status).toBe(404);
    expect((await workshop.fetch('/tools', { method: 'PUT', ...init })).status).toBe(405);
  });
});

describe('routing', () => {
  test('An unknown path is 404 with a problem', async () => {
    await start();
    const response = await workshop.fetch('/tools/1/handle');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await problemOf(response)).toMatchObject({ type: '/problems/route-not-found', status: 404 });
  });

  test('An unsupported method is 405 with the supported ones', async () => {
    await start();
    const response = await workshop.fetch('/tools/1', { method: 'PATCH' });
    expect(response.headers.get('allow')).toBe('DELETE, GET, HEAD');
    expect(await problemOf(response)).toMatchObject({
      type: '/problems/method-not-allowed',
      allow: ['DELETE', 'GET', 'HEAD'],
    });
  });

  test('HEAD has the status and headers of GET, without a body', async () => {
    await start();
    const get = await workshop.fetch('/tools/1');
    const head = await sendRaw(workshop.url, 'HEAD /tools/1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect(head.headers.get('content-type')).toBe('application/json');
  });

  test('HEAD without a GET is 405', async () => {
    await start();
    expect((await workshop.fetch('/note', { method: 'HEAD' })).status).toBe(405);
  });

  test('A target in absolute form is the same as its path (RFC 9112, section 3.2.2)', async () => {
    await start();
    const reply = await sendRaw(workshop.url, `GET ${workshop.url}/tools/1?x=1 HTTP/1.1\r\nHost: h\r\n\r\n`);
    expect(reply.status).toBe(200);
  });

  test.each(['/tools/%zz', '/tools/%c3%28', '*', '/tools//1', '/tools/1/'])(
    'The unusual target %s is a documented 404 or 422',
    async (target) => {
      await start();
      const reply = await sendRaw(workshop.url, `GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
      workshop.recorder.record({ method: 'GET', url: target, ...reply });
      expect(reply.status).toBe(404);
    },
  );

  test('A path parameter of any length is refused by validation, not by the router', async () => {
    await start();
    expect((await workshop.fetch(`/tools/${'1'.repeat(4000)}`)).status).not.toBe(404);
  });
});

describe('negotiation', () => {
  const accepted: [accept: string, status: number][] = [
    ['application/json', 200],
    ['application/*', 200],
    ['*/*', 200],
    ['text/html, application/json;q=0.1', 200],
    ['text/html, */*;q=0.1', 200],
    ['APPLICATION/JSON', 200],
    ['', 200],
    ['text/html', 406],
    ['application/xml, text/*', 406],
    ['application/json;q=0', 406],
    ['application/json;q=0, */*', 406],
    ['nonsense', 406],
  ];
  test.each(accepted)('Accept: %j is %i', async (accept, status) => {
    await start();
    const target = `GET /tools HTTP/1.1\r\nHost: h\r\nAccept: ${accept}\r\n\r\n`;
    const reply = await sendRaw(workshop.url, target);
    workshop.recorder.record({ method: 'GET', url: '/tools', ...reply });
    expect(reply.status).toBe(status);
  });

  test('406 lists the available media types', async () => {
    await start();
    const response = await workshop.fetch('/note', { method: 'PUT', headers: { Accept: 'application/json' } });
    expect(await problemOf(response)).toMatchObject({ available: ['text/plain'] });
  });

  test('An operation whose replies have no body accepts every Accept', async () => {
    await start();
    const headers = { Accept: 'image/png', Authorization: 'Bearer kim' };
    expect((await workshop.fetch('/tools/1', { method: 'DELETE', headers })).status).toBe(204);
  });

  const types: [type: string, status: number][] = [
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset="UTF-8"', 201],
    ['application/json; charset=latin1', 415],
    ['application/merge-patch+json', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['', 415],
  ];
  test.each(types)('Content-Type: %j is %i', async (type, status) => {
    await start();
    expect((await workshop.fetch('/tools', addTool({ name: 'Saw' }, { 'Content-Type': type }))).status).toBe(status);
  });

  test('A body without Content-Type is 415; without a body none is needed', async () => {
    await start();
    expect((await workshop.fetch('/note', { method: 'PUT', body: new Uint8Array([0x7b, 0x7d]) })).status).toBe(415);
    expect((await workshop.fetch('/note', { method: 'PUT' })).status).toBe(200);
  });

  test('A compressed body is 415, and the problem names the supported coding', async () => {
    await start();
    const response = await workshop.fetch('/tools', addTool({ name: 'Saw' }, { 'Content-Encoding': 'gzip' }));
    expect(response.status).toBe(415);
    expect(await problemOf(response)).toMatchObject({ supported: ['application/json'] });
    const identity = addTool({ name: 'Saw' }, { 'Content-Encoding': 'Identity' });
    expect((await workshop.fetch('/tools', identity)).status).toBe(201);
  });
});

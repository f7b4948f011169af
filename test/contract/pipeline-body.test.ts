import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendRaw } from '../support/recorder-raw.js';
import { record } from '../../src/contract-tools/documents.js';
import { addTool, startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await startWorkshop();
});
afterEach(() => workshop.close());

const add = async (body: object | string | Uint8Array): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await workshop.fetch('/tools', addTool(body));
  return { status: response.status, body: record(await response.json()) };
};
const writeNote = (body: string): Promise<Response> =>
  workshop.fetch('/note', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body });

const head = 'POST /tools HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nAuthorization: Bearer robin\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('size', () => {
  test('A body of exactly the limit is read', async () => {
    const text = JSON.stringify({ name: 'Saw' });
    expect((await add(text + ' '.repeat(2048 - text.length))).status).toBe(201);
  });

  test('A body one byte over the limit is 413, which names the limit', async () => {
    const { status, body } = await add(' '.repeat(2049));
    expect(status).toBe(413);
    expect(body).toMatchObject({ type: '/problems/payload-too-large', max_bytes: 2048 });
  });

  test('A Content-Length over the limit is 413 before the body is read, and closes the connection', async () => {
    const reply = await sendRaw(workshop.url, `${head}Content-Length: 999999999\r\n\r\n`);
    workshop.recorder.record({ method: 'POST', url: '/tools', ...reply });
    expect(reply).toMatchObject({ status: 413, closed: true });
  });

  test('A chunked body is 413 as soon as it exceeds the limit, and closes the connection', async () => {
    const reply = await sendRaw(workshop.url, `${head}Transfer-Encoding: chunked\r\n\r\n`, chunk('x'.repeat(2049)));
    workshop.recorder.record({ method: 'POST', url: '/tools', ...reply });
    expect(reply).toMatchObject({ status: 413, closed: true });
  });

  test('A caller that sends a far too large body before it reads also gets the 413', async () => {
    const response = await workshop.fetch('/tools', addTool('x'.repeat(3_000_000)));
    expect(response.status).toBe(413);
  });

  test.each([
    ['whole', 0],
    ['in part', 1],
  ])('A caller that reads after it has sent a far too large body, %s, is not reset', async (_, missing) => {
    const socket = connect(Number(new URL(workshop.url).port), '127.0.0.1');
    socket.pause();
    const size = 8_000_000;
    socket.write(`${head}Content-Length: ${size + missing}\r\n\r\n`);
    const part = 'x'.repeat(100_000);
    for (let sent = 0; sent < size; sent += part.length) {
      if (!socket.write(part)) await once(socket, 'drain');
    }
    const ended = once(socket, 'end');
    let reply = '';
    socket.setEncoding('latin1').on('data', (text: string) => (reply += text));
    socket.resume();
    await ended;
    expect(reply).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('An operation may override the default limit', async () => {
    expect((await writeNote(JSON.stringify({ text: 'x'.repeat(900_000) }))).status).toBe(200);
  });

  test('A chunked body within the limit is read', async () => {
    const chunks = [chunk('{"name":'), chunk('"Saw"}'), '0\r\n\r\n'];
    const reply = await sendRaw(workshop.url, `${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks);
    workshop.recorder.record({ method: 'POST', url: '/tools', ...reply });
    expect(reply.status).toBe(201);
  });

  test('A caller that disconnects during the body gets no reply, and no failure is logged', async () => {
    const socket = connect(Number(new URL(workshop.url).port), '127.0.0.1');
    socket.write(`${head}Content-Length: 100\r\n\r\n{"name"`);
    const [request] = (await once(workshop.server.server, 'request')) as [IncomingMessage];
    const closed = once(request, 'close');
    socket.destroy();
    await closed.catch(() => undefined); // with the error that ended it
    await workshop.server.stop(0);
    expect(workshop.log).toEqual([]);
    expect(workshop.served).toEqual([]);
  });
});

describe('syntax', () => {
  test.each([
    '{',
    '{"name":}',
    '{name:"Saw"}',
    "{'name':'Saw'}",
    '{"name":"Saw"} x',
    'NaN',
    '\ufeff{"name":"Saw"}',
    ' ',
  ])('%j is 400', async (text) => {
    const { status, body } = await add(text);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: '/problems/malformed-request' });
  });

  test('The message does not quote the body, which may hold a password', async () => {
    const { body } = await add('{"name":"seven quiet rivers" 7}');
    expect(body['message']).not.toMatch(/seven|quiet|rivers/);
    expect(body['message']).toMatch(/character \d+/);
  });

  test.each([
    ['{"name":', 'it ends too early.'],
    ['{"name":}', 'it is not JSON.'],
    ['{"name":1 2}', 'it is invalid at character 10.'],
  ])('The message for %s says %s', async (text, says) => {
    expect((await add(text)).body['message']).toContain(says);
  });

  test('A body that is not UTF-8 is 400', async () => {
    const { status, body } = await add(Buffer.from('{"name":"S\xe4ge"}', 'latin1'));
    expect(status).toBe(400);
    expect(body['message']).toContain('UTF-8');
  });

  test('A missing body is 422 if one is required, and accepted if not', async () => {
    expect(await add('')).toMatchObject({ status: 422, body: { violations: [{ path: '/body', rule: 'required' }] } });
    expect(await (await workshop.fetch('/note', { method: 'PUT' })).text()).toBe('(wiped)');
  });

  test('The last of repeated keys counts, for validation and handler alike', async () => {
    expect(await add('{"name":"","name":"Saw"}')).toMatchObject({ status: 201, body: { name: 'Saw' } });
    expect((await add('{"name":"Saw","name":""}')).status).toBe(422);
  });

  test('Nesting of any depth is 422', async () => {
    const deep = 400_000;
    expect((await writeNote(`{"text":${'['.repeat(deep)}${']'.repeat(deep)}}`)).status).toBe(422);
    expect((await writeNote(`{"text":${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}}`)).status).toBe(422);
  });
});

describe('content', () => {
  test.each(['{"name":"a\\u0000b"}', '{"name":"Saw","\\u0000":1}', '{"name":{"a":["\\u0000"]}}'])(
    'The character U+0000, which PostgreSQL cannot hold, is 422: %s',
    async (text) => {
      const { status, body } = await add(text);
      expect(status).toBe(422);
      expect(body['violations']).toEqual([expect.objectContaining({ path: '/body', rule: 'characters' })]);
    },
  );

  test.each(['{"name":"\\ud800"}', '{"name":"a\\uDFFFb"}', '{"name":"Saw","\\udc00":1}', '{"name":"\\udc00\\ud800"}'])(
    'A lone surrogate, which UTF-8 cannot hold, is 422: %s',
    async (text) => {
      const { status, body } = await add(text);
      expect(status).toBe(422);
      expect(body['violations']).toEqual([expect.objectContaining({ path: '/body', rule: 'characters' })]);
    },
  );

  test('A pair of escaped surrogates is one character', async () => {
    expect(await add('{"name":"\\ud83e\\ude9a"}')).toMatchObject({ status: 201, body: { name: '🪚' } });
  });

  test('An escaped backslash before u0000 is not that character', async () => {
    expect(await add('{"name":"\\\\u0000"}')).toMatchObject({ status: 201, body: { name: '\\u0000' } });
  });

  test('U+0000 beside very many values is 422', async () => {
    expect((await writeNote(`{"text":[${'0,'.repeat(400_000)}"\\u0000"]}`)).status).toBe(422);
  });

  test('An unknown field is 422, with its name', async () => {
    const { body } = await add({ name: 'Saw', 'a/b~c': 1 });
    expect(body['violations']).toEqual([
      { path: '/body/a~1b~0c', rule: 'additionalProperties', message: 'is unknown; remove it' },
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is an unknown field like any other', async (name) => {
    const { status, body } = await add(`{"name":"Saw","${name}":{"polluted":true}}`);
    expect(status).toBe(422);
    expect(body['violations']).toEqual([expect.objectContaining({ path: `/body/${name}` })]);
    expect('polluted' in {}).toBe(false);
  });

  test('All violations are listed at once', async () => {
    const { body } = await add({ note: 7, parts: [1, 'x'], made_on: '2026-02-30' });
    const violations: unknown = body['violations'];
    expect(violations).toHaveLength(4);
    expect(violations).toEqual(
      expect.arrayContaining([
        { path: '/body/name', rule: 'required', message: 'is required' },
        expect.objectContaining({ path: '/body/note', rule: 'type' }),
        expect.objectContaining({ path: '/body/parts/1', rule: 'type' }),
        { path: '/body/made_on', rule: 'format', message: 'must be a valid date' },
      ]),
    );
  });

  test('The list of violations and the message are limited', async () => {
    const fields = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 1]));
    const { body } = await add({ name: 'Saw', ...fields });
    expect(body['violations']).toHaveLength(50);
    expect(String(body['message']).length).toBeLessThan(300);
  });

  test('The types of a body are not converted', async () => {
    expect((await add({ name: 7 })).status).toBe(422);
    expect((await add({ name: 'Saw', parts: ['1'] })).status).toBe(422);
    expect((await add([])).status).toBe(422);
    expect((await add('null')).status).toBe(422);
  });

  test('Defaults are filled in', async () => {
    expect(await add({ name: 'Saw' })).toMatchObject({ status: 201, body: { note: null, parts: [] } });
  });
});

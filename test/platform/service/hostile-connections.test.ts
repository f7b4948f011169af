import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../support/platform.js';
import { sendRaw } from '../../support/recorder-raw.js';
import { raw } from './raw-request.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

describe('Request smuggling, and bytes that are not HTTP', () => {
  const smuggled = 'GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\n\r\n';
  const post = `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;

  test.each([
    [
      'Content-Length and Transfer-Encoding',
      `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${smuggled}`],
    ['a list of lengths', `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n${smuggled}`],
    ['a length with a sign', `${post}Content-Length: +2\r\n\r\n{}${smuggled}`],
    ['an unknown transfer coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['chunked that is not last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a space before the colon', `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a folded header', `${post}X-Folded: a\r\n b\r\nContent-Length : 0\r\n\r\n${smuggled}`],
    ['a header without a name', `${post}: x\r\n\r\n`],
    ['U+0000 in a header', `${post}X-Nul: a\0b\r\n\r\n`],
    ['a bare CR', `${post}X-Cr: a\rb\r\n\r\n`],
    ['escape sequences in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: \u001b[2J\r\n\r\n'],
    ['backslashes in a path', 'GET \\health\\live HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'FETCH /health/live HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['nonsense', 'what is this?\r\n\r\n'],
  ])('%s: 400, and the connection ends', async (_what, bytes) => {
    const before = platform.logLines.length;
    const reply = await sendRaw(platform.url, Buffer.from(bytes, 'latin1'));
    expect([reply.status, reply.closed, reply.body.length]).toEqual([400, true, 0]);
    expect(platform.logLines.slice(before).join('')).not.toContain('getMe'); // nothing was let in behind it
  });

  test('no Host: 400, and the connection ends', async () => {
    const reply = await sendRaw(platform.url, 'GET /health/live HTTP/1.1\r\n\r\n');
    expect([reply.status, reply.closed]).toEqual([400, true]);
  });

  test('headers that are too large: 431, and the connection ends', async () => {
    const reply = await sendRaw(
      platform.url,
      `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect([reply.status, reply.closed]).toEqual([431, true]);
  });

  test('chunks with a wrong size: the connection ends without a second request', async () => {
    const head = `${post}Transfer-Encoding: chunked\r\n\r\n`;
    const reply = await sendRaw(platform.url, `${head}fffffffffffffffff\r\n{}\r\n0\r\n\r\n${smuggled}`);
    expect([reply.status, reply.closed]).toEqual([400, true]);
  });

  test('a URL in absolute form is served as its path (RFC 9112, section 3.2.2)', async () => {
    const request = 'GET http://elsewhere.example.com/health/live?x=1 HTTP/1.1\r\nHost: x\r\n\r\n';
    const reply = await sendRaw(platform.url, request);
    expect(reply.status).toBe(200);
  });

  test.each([
    'GET *',
    'OPTIONS *',
    'GET /health/live/../live',
    'GET /health//live',
    'GET /health/live;x=1',
    'GET /%2e%2e/health/live',
  ])('%s is not an operation', async (line) => {
    const [method = '', path = ''] = line.split(' ');
    expect((await raw(platform.url, { method, path })).status).toBe(404);
  });
});

describe('Callers that disconnect', () => {
  test('at any point do not break the server', async () => {
    const before = platform.logLines.length;
    const body = JSON.stringify({ email: 'gone@example.com', password: testPassword });
    const head = `POST /api/v1/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const whole = head + body;
    const { hostname, port } = new URL(platform.url);
    const cuts = Array.from({ length: 24 }, (_, at) => Math.floor((whole.length * (at + 1)) / 24));
    await Promise.all(
      cuts.map(async (cut) => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        await new Promise((resolve) => socket.write(whole.slice(0, cut), resolve));
        socket.resetAndDestroy();
      }),
    );
    // Once later callers are served, what these left behind has been dealt with.
    for (let turn = 0; turn < 3; turn++)
      expect((await platform.json('GET', '/api/v1/auth/me', { token: owner.accessToken })).status).toBe(200);
    const faults = platform.logLines.slice(before).filter((line) => JSON.parse(line).level >= 50);
    expect(faults).toEqual([]);
  });
});

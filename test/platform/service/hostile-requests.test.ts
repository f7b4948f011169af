import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../support/platform.js';
import { rawExchange, sendRaw } from '../../support/recorder-raw.js';
import { recordExchange } from '../../support/recorder.js';
import { problemOf, raw } from './raw-request.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const login = '/api/v1/auth/login';

describe('Bodies', () => {
  const credentials = `"email":"robin@example.com","password":"${testPassword}"`;
  const deep = (open: string, close: string): string =>
    open.repeat(20_000 / open.length) + close.repeat(20_000 / open.length);

  test.each<[string, string | Uint8Array, number]>([
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 400],
    ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400],
    ['UTF-16', Buffer.from(`{${credentials}}`, 'utf16le'), 400],
    ['a byte order mark', `\ufeff{${credentials}}`, 400],
    ['a trailing comma', `{${credentials},}`, 400],
    ['two values', `{${credentials}}{}`, 400],
    ['NaN', '{"email":NaN}', 400],
    ['a raw control character', `{"email":"a\u0001b"}`, 400],
    ['deep arrays that end', deep('[', ']'), 422],
    ['deep arrays that do not end', '['.repeat(30_000), 400],
    ['deep objects', deep('{"a":', '') + '0' + '}'.repeat(4000), 422],
    ['a deep value of a known property', `{"email":${deep('[', ']')},"password":"x"}`, 422],
    ['a deep value with an escaped U+0000', `{"email":${'['.repeat(9000)}"\\u0000"${']'.repeat(9000)}}`, 422],
    ['null', 'null', 422],
    ['nothing', '', 422],
    ['a list', `[{${credentials}}]`, 422],
    ['a number as large as it gets', `{"email":1e999,"password":${'9'.repeat(5000)}}`, 422],
    ['__proto__', `{${credentials},"__proto__":{"is_superuser":true}}`, 422],
    ['constructor', `{${credentials},"constructor":{"prototype":{}}}`, 422],
    ['ten thousand unknown properties', `{${Array.from({ length: 5000 }, (_, at) => `"p${at}":0`).join()}}`, 422],
    ['U+0000 in a text', `{"email":"robin@example.com","password":"a\\u0000b"}`, 422],
    ['U+0000 in a name', `{${credentials},"a\\u0000b":1}`, 422],
    ['a lone surrogate', `{"email":"robin@example.com","password":"\\ud800"}`, 422],
    ['a lone surrogate in a name', `{${credentials},"\\udfff":1}`, 422],
  ])('%s', async (_what, body, status) => {
    const reply = await raw(platform.url, { body });
    expect(reply.status).toBe(status);
    expect(reply.body.length).toBeLessThan(20_000);
  });

  test('of a repeated key the last value counts, for the rate limit and for the login', async () => {
    const limited = await startTestPlatform({ environment: { AUTH_LOGIN_LIMIT: '2/hour' } });
    const send = async (first: string, last: string): Promise<number> => {
      const body = `{"email":"${first}","email":"${last}","password":"x"}`;
      const headers = { 'Content-Type': 'application/json' };
      return (await limited.fetch(`${limited.url}${login}`, { method: 'POST', headers, body })).status;
    };
    const statuses = [];
    for (const first of ['a', 'b', 'c']) statuses.push(await send(`${first}@example.com`, 'target@example.com'));
    await limited.stop();
    expect(statuses).toEqual([401, 401, 429]);
  });

  test('a body that comes byte by byte is read', async () => {
    const body = `{${credentials}}`;
    const head = `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect((await sendRaw(platform.url, ...`${head}${body}`.split(''))).status).toBe(401);
  });

  test('chunks that go beyond the limit are refused before they end', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const head = `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const reply = await sendRaw(platform.url, head, chunk.repeat(5)); // and never the last one
    recordExchange('platform', rawExchange('POST', login, reply));
    expect([reply.status, reply.closed]).toEqual([413, true]);
  });
});

describe('Several Host headers', () => {
  const twice = 'Host: localhost\r\nhOsT: localhost';

  test.each([login, '/graphql', '/docs', '/console/', '/metrics', '/nowhere'])('are refused: %s', async (path) => {
    const before = platform.logLines.length;
    const body = 'Content-Length: 5\r\n\r\nGET /';
    const reply = await sendRaw(platform.url, `POST ${path} HTTP/1.1\r\n${twice}\r\nX-Request-Id: mine\r\n${body}`);
    expect([reply.status, reply.closed, reply.headers.get('x-request-id')]).toEqual([400, true, 'mine']);
    expect(JSON.parse(reply.body.toString())).toMatchObject({ type: '/problems/repeated-host', request_id: 'mine' });
    if (path === '/nowhere') recordExchange('platform', rawExchange('POST', path, reply));
    const logged = platform.logLines.slice(before).map((line): unknown => JSON.parse(line));
    expect(logged).toEqual([expect.objectContaining({ operation: null, path: '(unmatched)', status: 400 })]);
  });

  test('are refused without a body where the method is HEAD', async () => {
    const reply = await sendRaw(platform.url, `HEAD /health/live HTTP/1.1\r\n${twice}\r\n\r\n`);
    expect([reply.status, reply.body.length]).toEqual([400, 0]);
  });

  test('are refused at a server for browsers of other origins, too', async () => {
    const open = await startTestPlatform({ environment: { CORS_ORIGINS: 'https://app.example.com' } });
    const reply = await sendRaw(open.url, `GET /health/live HTTP/1.1\r\n${twice}\r\n\r\n`);
    await open.stop();
    expect(reply.status).toBe(400);
  });
});

describe('Headers', () => {
  test.each<[string, readonly string[], number]>([
    ['a coding of the body', ['Content-Encoding: gzip'], 415],
    ['another charset', ['Content-Type: application/json; charset=utf-16'], 415],
    ['Accept with nonsense', ['Accept: ;;;q=,,/'], 406],
    ['Accept that excludes everything', ['Accept: */*;q=0'], 406],
    ['ten thousand dots as a token', [`Authorization: Bearer ${'.'.repeat(10_000)}`], 401],
    ['another scheme', ['Authorization: Basic cm9iaW46eA=='], 401],
  ])('%s', async (_what, headers, status) => {
    const path = status === 401 ? '/api/v1/auth/switch-org' : login;
    // What is given twice counts as its first value in Node, so the one of a test comes first.
    const body = '{}';
    const lines = [...headers, 'Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const reply = await sendRaw(platform.url, `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    recordExchange('platform', rawExchange('POST', path, reply));
    expect(reply.status).toBe(status);
  });

  test.each([
    ['a line of JSON', '{"level":60,"msg":"forged"}'],
    ['a quote and more members', 'x","admin":true,"y":"'],
    ['markup', '<script>alert(1)</script>'],
    ['bytes that are not ASCII', 'caf\u00e9'],
    ['spaces', 'a b'],
    ['too many characters', 'x'.repeat(129)],
  ])('a request id of %s is replaced, and never logged', async (_what, id) => {
    const before = platform.logLines.length;
    const path = '/health/live';
    const reply = await sendRaw(
      platform.url,
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`, 'latin1'),
    );
    expect(reply.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    const lines = platform.logLines.slice(before);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.trimEnd()).not.toContain('\n');
      expect(JSON.stringify(JSON.parse(line))).not.toContain(JSON.stringify(id).slice(1, -1));
    }
  });

  test('a valid request id is kept, in the reply, the problem and the log', async () => {
    const id = 'upstream:42_a.b-c';
    const reply = await raw(platform.url, { headers: [`X-Request-Id: ${id}`], body: '{' });
    expect([reply.headers.get('X-Request-Id'), problemOf(reply)['request_id']]).toEqual([id, id]);
    expect(platform.logLines.at(-1)).toContain(`"request_id":"${id}"`);
  });

  test('a hostile User-Agent is cut at 512 characters in the audit log, and adds no line to the log', async () => {
    const agent = `\u00ff'"><script>{{7*7}}${'x'.repeat(4000)}`;
    const before = platform.logLines.length;
    const body = JSON.stringify({ email: owner.email, password: owner.password });
    const head = `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nUser-Agent: ${agent}\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect((await sendRaw(platform.url, Buffer.from(head + body, 'latin1'))).status).toBe(200);
    const log = await platform.json('GET', '/api/v1/admin/audit-log?action=LOGIN&limit=1', {
      token: owner.accessToken,
    });
    expect(log.body.items[0].user_agent).toBe(agent.slice(0, 512));
    for (const line of platform.logLines.slice(before)) expect(JSON.parse(line)).toBeTypeOf('object');
  });
});

describe('X-Forwarded-For', () => {
  const verify = '/api/v1/auth/verify?token=0123456789012345678901234567890123456789012';
  const statusesFrom = async (server: TestPlatform, chains: readonly string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const chain of chains) {
      statuses.push((await server.json('GET', verify, { headers: { 'X-Forwarded-For': chain } })).status);
    }
    return statuses;
  };

  test('from an untrusted caller is ignored: it does not bypass the rate limit', async () => {
    const server = await startTestPlatform({ environment: { AUTH_VERIFY_LIMIT: '2/hour' } });
    const statuses = await statusesFrom(server, ['203.0.113.1', '203.0.113.2', '203.0.113.3, 127.0.0.1']);
    await server.stop();
    expect(statuses).toEqual([400, 400, 429]);
  });

  test('from a trusted proxy counts for the part that the proxy added, not for the part that callers sent', async () => {
    const environment = { AUTH_VERIFY_LIMIT: '2/hour', TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' };
    const server = await startTestPlatform({ environment });
    const chains = [
      '192.0.2.1, 203.0.113.7',
      '192.0.2.2, 203.0.113.7, 10.1.2.3',
      '127.0.0.1, 203.0.113.7',
      '203.0.113.8',
    ];
    const statuses = await statusesFrom(server, chains);
    await server.stop();
    expect(statuses).toEqual([400, 400, 429, 400]);
  });

  test('with an invalid address counts as the proxy that forwarded it', async () => {
    const server = await startTestPlatform({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    for (const chain of ["' or 1=1 --", 'unknown', '203.0.113.7:4711', '', '::1%eth0', '999.1.1.1', '1.2.3']) {
      const body = { email: 'nobody@example.com', password: 'x' };
      const reply = await server.json('POST', login, { body, headers: { 'X-Forwarded-For': chain } });
      expect([chain, reply.status]).toEqual([chain, expect.toSatisfy((status) => status === 401 || status === 429)]);
    }
    await server.stop();
  });
});

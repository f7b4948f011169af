import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outboundFetch } from '../../../../src/contract/outbound/outbound-fetch.js';
import { faultOfBaseUrl } from '../../../../src/platform/sources/integrations/base-url.js';
import { testCodeHost, type CodeHostAccess } from '../../../../src/platform/sources/integrations/code-host.js';
import { json, startCodeHostDouble, type CodeHostDouble } from './code-host-double.js';

let host: CodeHostDouble;

beforeAll(async () => {
  host = await startCodeHostDouble();
});

beforeEach(() => {
  host.requests.splice(0);
  host.answer(json(200, { login: 'someone', username: 'someone' }));
});

afterAll(() => host.stop());

const token = 'the-token-of-this-test';
const unreachable =
  'The code host cannot be reached, or does not respond like GitHub. Check the base URL, or try again later.';
const onLoopback = outboundFetch({ networks: ['127.0.0.0/8', '::1'] });

function askAt(access: Partial<CodeHostAccess>, timeoutMs = 5000, fetch = onLoopback): Promise<string | null> {
  const limits = { timeoutMs, leastFailureMs: 0 };
  return testCodeHost({ provider: 'host_a', kind: 'token', baseUrl: host.url, token, ...access }, fetch, limits);
}

function ask(provider: 'host_a' | 'host_b' = 'host_a', path = '', timeoutMs?: number): Promise<string | null> {
  return askAt({ provider, baseUrl: `${host.url}${path}` }, timeoutMs);
}

describe('asking a code host', () => {
  it.each([
    ['host_a', '', '/user'],
    ['host_a', '/api/v3/', '/api/v3/user'],
    ['host_b', '', '/api/v4/user'],
    ['host_b', '/gitlab', '/gitlab/api/v4/user'],
    ['host_b', '/api/v4/', '/api/v4/user'],
  ] as const)('of %s at %j goes to %s with the token', async (provider, path, asked) => {
    expect(await ask(provider, path)).toBeNull();
    expect(host.requests).toEqual([{ path: asked, authorization: `Bearer ${token}` }]);
  });

  it.each([401, 403])('says that the token is refused when the status is %i', async (status) => {
    host.answer(json(status, { message: `wrong: ${token}` }));
    expect(await ask()).toBe('The code host rejected the token.');
  });

  it.each([201, 404, 418, 429, 500, 503])('tells the status %i like a host that cannot be reached', async (status) => {
    host.answer(json(status, { login: 'someone' }));
    expect(await ask()).toBe(unreachable);
  });

  it('by name looks the name up', async () => {
    expect(await askAt({ baseUrl: host.url.replace('127.0.0.1', 'localhost') })).toBeNull();
  });

  it('does not follow a redirect to another origin', async () => {
    host.answer(json(302, {}, { Location: 'http://169.254.169.254/latest/meta-data' }));
    expect(await ask()).toBe(unreachable);
    expect(host.requests).toHaveLength(1);
  });

  it.each([
    ['a page', '<html>Welcome</html>'],
    ['no user', '{"id": 1}'],
    ['a list', '[]'],
    ['nothing', ''],
    ['more than a user', `{"login": "someone", "more": "${'x'.repeat(300_000)}"}`],
  ])('is not content with %s', async (_what, body) => {
    host.answer((_request, response) => response.end(body));
    expect(await ask()).toBe(unreachable);
  });

  it('gives up on a host that does not answer', async () => {
    host.answer(() => undefined);
    expect(await ask('host_a', '', 50)).toBe(unreachable);
  });

  it('gives up on a host that never ends its answer', async () => {
    host.answer((_request, response) => void response.writeHead(200).write('{'));
    expect(await ask('host_a', '', 50)).toBe(unreachable);
  });

  it('sends nothing to an address that is not allowed, and says what it says of a host that is away', async () => {
    expect(await askAt({}, 5000, outboundFetch({ networks: [] }))).toBe(unreachable);
    expect(await askAt({ baseUrl: 'http://127.0.0.1:1' })).toBe(unreachable);
    expect(host.requests).toEqual([]);
  });

  it('neither sends nor repeats a token that no header can carry', async () => {
    const error = await askAt({ token: 'odd\r\ntoken' });
    expect(error).toMatch(/The token contains invalid characters/);
    expect(error).not.toContain('odd');
    expect(host.requests).toEqual([]);
  });
});

describe('a base URL', () => {
  it.each([
    'https://github.example.com/api/v3',
    'https://140.82.121.6/',
    'http://[2606:4700::1111]:8080/',
    'http://10.1.2.3', // allowed below
    'http://localhost:3000', // a name: what it leads to is checked when it is called
  ])('may be %s', (url) => {
    expect(faultOfBaseUrl(url, ['10.1.0.0/16'])).toBeNull();
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'private network'],
    ['http://2852039166/', 'private network'],
    ['http://0xa9.0xfe.0xa9.0xfe/', 'private network'],
    ['http://[fe80::1]/', 'private network'],
    ['http://[::ffff:169.254.169.254]/', 'private network'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'private network'],
    ['http://127.0.0.1/', 'private network'],
    ['http://[::1]:8080/', 'private network'],
    ['https://192.168.0.10/gitlab', 'private network'],
    ['http://10.2.0.1', 'private network'],
    ['https://user:secret@github.example.com/', 'must not contain a user or a password'],
    ['https://github.example.com/?token=1', 'without ? and #'],
    ['https://github.example.com:99999/', 'must be a URL'],
    ['file:///etc/passwd', 'must begin with'],
  ])('must not be %s', (url, fault) => {
    expect(faultOfBaseUrl(url, ['10.1.0.0/16'])).toContain(fault);
  });
});

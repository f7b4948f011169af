import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { faultOfBaseUrl, isRefusedAddress } from '../../../src/platform/integrations/base-url.js';
import { askCodeHost } from '../../../src/platform/integrations/code-host.js';
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

function ask(provider: 'host_a' | 'host_b' = 'host_a', path = '', timeoutMs?: number): Promise<string | null> {
  return askCodeHost({ provider, baseUrl: `${host.url}${path}`, token }, timeoutMs);
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

  it.each([
    [401, 'The code host refuses the token (401).'],
    [403, 'The code host refuses the token (403).'],
    [404, 'There is no GitHub API at this address (404). Check the base URL.'],
    [429, 'The code host has too many requests from here (429). Try again later.'],
    [500, 'The code host answers with the status 500.'],
  ])('explains the status %i', async (status, reason) => {
    host.answer(json(status, { message: `wrong: ${token}` }));
    expect(await ask()).toBe(reason);
  });

  it('by name looks the name up', async () => {
    const baseUrl = host.url.replace('127.0.0.1', 'localhost');
    expect(await askCodeHost({ provider: 'host_a', baseUrl, token })).toBeNull();
  });

  it('does not follow a redirect, wherever it leads', async () => {
    host.answer(json(302, {}, { Location: `${host.url}/elsewhere` }));
    expect(await ask()).toMatch(/sends callers elsewhere \(302\)/);
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
    expect(await ask()).toMatch(/What answers there is not GitHub/);
  });

  it('gives up on a host that does not answer', async () => {
    host.answer(() => undefined);
    expect(await ask('host_a', '', 50)).toBe('The code host did not answer within 0.05 seconds.');
  });

  it('gives up on a host that never ends its answer', async () => {
    host.answer((_request, response) => void response.writeHead(200).write('{'));
    expect(await ask('host_a', '', 50)).toBe('The code host did not answer within 0.05 seconds.');
  });

  it('says when nothing listens there', async () => {
    const closed = createServer();
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => {
        const address = closed.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    await new Promise((resolve) => closed.close(resolve));
    const error = await askCodeHost({ provider: 'host_a', baseUrl: `http://127.0.0.1:${port}`, token });
    expect(error).toBe('The code host cannot be reached (ECONNREFUSED).');
  });

  it('does not send a token that no header can carry, nor repeats it', async () => {
    const odd = 'odd\r\ntoken';
    const error = await askCodeHost({ provider: 'host_a', baseUrl: host.url, token: odd });
    expect(error).toMatch(/The token holds characters/);
    expect(error).not.toContain('odd');
    expect(host.requests).toEqual([]);
  });

  it('sends nothing to a link-local address', async () => {
    const access = { provider: 'host_a', baseUrl: 'http://169.254.169.254/latest', token } as const;
    expect(await askCodeHost(access)).toMatch(/must not be a link-local address/);
  });
});

describe('a base URL', () => {
  it.each([
    'https://github.example.com/api/v3',
    'http://localhost:3000',
    'http://10.1.2.3',
    'http://[::1]:8080/',
    'https://192.168.0.10/gitlab',
  ])('may be %s', (url) => {
    expect(faultOfBaseUrl(url)).toBeNull();
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['http://2852039166/', 'link-local'],
    ['http://0xa9.0xfe.0xa9.0xfe/', 'link-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://[::ffff:169.254.169.254]/', 'link-local'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'link-local'],
    ['http://[fd00:ec2::254]/', 'link-local'],
    ['https://user:secret@github.example.com/', 'must not hold a user or a password'],
    ['https://github.example.com/?token=1', 'without ? and #'],
    ['https://github.example.com:99999/', 'must be a URL'],
    ['file:///etc/passwd', 'must begin with'],
  ])('must not be %s', (url, fault) => {
    expect(faultOfBaseUrl(url)).toContain(fault);
  });

  it('is refused by the address that its name leads to, in every form in which a look-up gives it', () => {
    expect(['169.254.0.1', 'fe80::1%eth0', '::ffff:169.254.1.1', 'febf::1'].map(isRefusedAddress)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['127.0.0.1', '10.0.0.1', '::1', '169.253.255.255', 'fec0::1'].map(isRefusedAddress)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

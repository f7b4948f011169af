import { readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { sendRaw } from '../../support/raw-send.js';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../../support/platform.js';

const origin = 'https://app.example.com';
let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  await builtCommand();
  platform = await startTestPlatform({ environment: { CORS_ORIGINS: origin } });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

const texts = [
  '/docs',
  '/docs/redoc.js',
  '/openapi.json',
  '/problems',
  '/graphql/graphiql.js',
  '/graphql/graphiql.css',
  '/graphql/schema',
  '/metrics',
];

describe.each(texts)('%s', (path) => {
  test.each(['br', 'gzip'] as const)('is compressed for callers that accept %s', async (coding) => {
    const plain = await sendRaw(platform.url + path, {});
    const packed = await sendRaw(platform.url + path, { headers: { 'Accept-Encoding': coding } });
    expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([coding, 'Origin, Accept-Encoding']);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(packed.body.length).toBeLessThan(plain.body.length * 0.7);
    const text = decoders[coding](packed.body);
    if (path !== '/metrics') expect(text.equals(plain.body)).toBe(true); // which counts these requests
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Origin, Accept-Encoding']);
  });

  test('has the same headers for HEAD', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const { headers: got } = await sendRaw(platform.url + path, { headers });
    const head = await sendRaw(platform.url + path, { method: 'HEAD', headers });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-encoding', 'vary', 'content-type']) expect(head.headers[name]).toBe(got[name]);
    if (path !== '/metrics') expect(head.headers['content-length']).toBe(got['content-length']);
  });
});

test('A file is not sent again to a caller that has it, in any coding', async () => {
  for (const path of ['/openapi.json', '/docs/redoc.js']) {
    const first = await sendRaw(platform.url + path, { headers: { 'Accept-Encoding': 'br' } });
    const again = await sendRaw(platform.url + path, { headers: { 'If-None-Match': String(first.headers.etag) } });
    expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, 'Origin, Accept-Encoding']);
    const other = await sendRaw(platform.url + path, { headers: { 'If-None-Match': 'W/"0-0"' } });
    expect(other.status).toBe(200);
  }
});

test('A GraphQL reply is compressed', async () => {
  const body = JSON.stringify({ query: '{ __schema { types { name description fields { name } } } }' });
  const headers = {
    'Accept-Encoding': 'br',
    'Content-Type': 'application/json',
    Authorization: `Bearer ${user.accessToken}`,
  };
  const reply = await sendRaw(`${platform.url}/graphql?org_id=${user.orgId}`, { method: 'POST', headers, body });
  expect([reply.status, reply.headers['content-encoding']]).toEqual([200, 'br']);
  expect(JSON.parse(brotliDecompressSync(reply.body).toString()).data.__schema.types).not.toEqual([]);
});

test('A short reply is not compressed', async () => {
  const { headers } = await sendRaw(`${platform.url}/health/live`, { headers: { 'Accept-Encoding': 'br' } });
  expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin']);
});

describe('Secrets', () => {
  test('of a login are not compressed, because the length would reveal them', async () => {
    const body = JSON.stringify({ email: user.email, password: testPassword });
    const headers = { 'Accept-Encoding': 'br, gzip', 'Content-Type': 'application/json' };
    const reply = await sendRaw(`${platform.url}/api/v1/auth/login`, { method: 'POST', headers, body });
    expect([reply.status, reply.headers['content-encoding']]).toEqual([200, undefined]);
    expect(reply.body.length).toBeGreaterThan(1024);
  });

  test('are in no reply of the contract to GET, which may be compressed', async () => {
    const contract = JSON.parse(await readFile('generated/platform/openapi.json', 'utf8'));
    // Properties. Names of problems begin with invalid_, and has_ tells only whether there is one.
    const secret = /"(?!invalid_|has_)(?:\w+_)?(?:token|password|secret|invite_code)":/;
    const textOf = (method: string): string[] =>
      Object.entries<Record<string, { responses: object }>>(contract.paths).flatMap(([path, item]) => {
        const responses = JSON.stringify(resolved(item[method]?.responses ?? {}, contract));
        return secret.test(responses) ? [path] : [];
      });
    expect(textOf('get')).toEqual([]);
    expect(textOf('post')).toContain('/api/v1/auth/login');
  });
});

/** A part of the contract with its references replaced by what they name. */
function resolved(part: unknown, contract: unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => resolved(each, contract));
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part && typeof part.$ref === 'string') {
    const target = part.$ref
      .slice(2)
      .split('/')
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a JSON document of any shape
      .reduce((at: any, name) => at[name.replaceAll('~1', '/')], contract);
    return resolved(target, contract);
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(value, contract)]));
}

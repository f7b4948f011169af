import { afterEach, beforeEach, expect, test } from 'vitest';
import { record } from '../../src/contract-tools/documents.js';
import { startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await startWorkshop();
});
afterEach(() => workshop.close());

const list = async (
  query: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await workshop.fetch(`/tools${query}`, { headers });
  return { status: response.status, body: record(await response.json()) };
};

test('Missing parameters have their defaults', async () => {
  expect((await list('')).body).toMatchObject({ limit: 20, tags: [], borrowed: null });
});

test('Numbers and booleans are converted', async () => {
  expect((await list('?limit=7&borrowed=false')).body).toMatchObject({ limit: 7, borrowed: false });
});

test.each([
  ['limit=', 'type'],
  ['limit=abc', 'type'],
  ['limit=1.5', 'type'],
  ['limit=0', 'minimum'],
  ['limit=101', 'maximum'],
  ['limit=1e99', 'maximum'],
  ['borrowed=perhaps', 'type'],
  ['tag=', 'minLength'],
  ['tag=a&tag=b&tag=c&tag=d', 'maxItems'],
])('?%s is 422 for its %s', async (query, rule) => {
  const { status, body } = await list(`?${query}`);
  expect(status).toBe(422);
  expect(body['violations']).toEqual([
    expect.objectContaining({ rule, path: expect.stringMatching(/^\/query\/\w+/) as unknown }),
  ]);
});

test('A list accepts one value as well as several', async () => {
  expect((await list('?tag=a')).body).toMatchObject({ tags: ['a'] });
  expect((await list('?tag=a&tag=b%20c&tag=d+e')).body).toMatchObject({ tags: ['a', 'b c', 'd e'] });
});

test.each(['%ff', '%ed%a0%80', 'a%c3', '%f0%9f'])('?tag=%s is 422, because it is not UTF-8', async (value) => {
  expect(await list(`?tag=${value}`)).toMatchObject({
    status: 422,
    body: { violations: [{ path: '/query/tag', rule: 'characters' }] },
  });
});

test('The replacement character is accepted', async () => {
  expect((await list('?tag=%ef%bf%bd')).body).toMatchObject({ tags: ['\ufffd'] });
});

test('A single parameter that is given twice is 422', async () => {
  expect((await list('?limit=1&limit=2')).body).toMatchObject({
    violations: [{ path: '/query/limit', rule: 'maxItems', message: 'is given more than once' }],
  });
});

test.each(['colour=red', '__proto__=x', '__proto__=x&__proto__=y', 'constructor=x', 'Limit=1', '=x'])(
  'The unknown parameter in ?%s is 422',
  async (query) => {
    expect((await list(`?${query}`)).status).toBe(422);
  },
);

test('U+0000 in a parameter is 422', async () => {
  const { body } = await list('?tag=a%00b&limit=2%00');
  expect(body['violations']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: '/query/tag', rule: 'characters' }),
      expect.objectContaining({ path: '/query/limit', rule: 'characters' }),
    ]),
  );
});

test('A percent sign that begins no escape sequence is text', async () => {
  expect((await list('?tag=%zz')).body).toMatchObject({ tags: ['%zz'] });
});

test('Very many parameters cause no failure', async () => {
  expect((await list(`?${'x&'.repeat(5000)}`)).status).toBe(422);
});

test('Path parameters are converted and checked', async () => {
  const read = async (id: string): Promise<unknown> => (await workshop.fetch(`/tools/${id}`)).json();
  expect(await read('12')).toMatchObject({ id: 12 });
  expect(await read('%31')).toMatchObject({ id: 1 });
  expect(await read('0')).toMatchObject({ status: 422, violations: [{ path: '/path/tool_id', rule: 'minimum' }] });
  expect(await read('x')).toMatchObject({ status: 422, violations: [{ path: '/path/tool_id', rule: 'type' }] });
  expect(await read('')).toMatchObject({ status: 404 });
  expect(await read('1%2F2')).toMatchObject({ status: 422 });
  expect(await read('1%00')).toMatchObject({ status: 422 });
});

test('Header parameters are validated, and passed to the handler by lower-case names', async () => {
  expect((await list('', { 'IF-NONE-MATCH': '"1"' })).body).toMatchObject({ etag: '"1"' });
  expect((await list('', { 'If-None-Match': 'x'.repeat(21) })).body).toMatchObject({
    violations: [{ path: '/header/if-none-match', rule: 'maxLength' }],
  });
});

test('Undocumented headers are not passed to the handler', async () => {
  expect((await list('', { 'X-Anything': 'x' })).status).toBe(200);
});

test.each([
  ['alone', 'workbench=oak', 'oak'],
  ['among those of others', 'theme=dark; workbench=oak;x', 'oak'],
  ['with an equals sign in it', 'workbench=a=b', 'a=b'],
  ['twice with one value', 'workbench=oak; workbench=oak', 'oak'],
  ['twice with two values: none counts', 'workbench=oak; other=1; workbench=ash', null],
  ['under another case: names are exact', 'Workbench=oak', null],
])('A cookie is passed to the handler: %s', async (_case, field, workbench) => {
  expect((await list('', { Cookie: field })).body).toMatchObject({ workbench });
});

test('A cookie that violates its schema is refused, and other cookies are ignored', async () => {
  expect((await list('', { Cookie: `other=${'x'.repeat(100)}; workbench=walnut` })).body).toMatchObject({
    violations: [{ path: '/cookie/workbench', rule: 'maxLength' }],
  });
});

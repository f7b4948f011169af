import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFuzz } from '../../../src/contract-tools/fuzz/run-fuzz.js';
import { closeServer, listen } from '../../../src/contract-tools/listen.js';

let folder: string;
let contract: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'edges-'));
  contract = join(folder, 'things.json');
  writeFileSync(contract, JSON.stringify(document));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const letters = { type: 'string', minLength: 3, maxLength: 37, pattern: '^[a-z]+$' };
const document = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things/{size}': {
      put: {
        operationId: 'putThing',
        parameters: [
          { name: 'size', in: 'path', required: true, schema: { type: 'integer', minimum: 2, maximum: 123_456 } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, exclusiveMaximum: 54_321 } },
          { name: 'search', in: 'query', schema: { type: 'string', maxLength: 64 } },
          { name: 'after', in: 'query', schema: { type: 'string', format: 'uuid', maxLength: 64 } },
          { name: 'essay', in: 'query', schema: { type: 'string', maxLength: 1_000_000 } },
          { name: 'X-Label', in: 'header', schema: letters },
        ],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
        responses: { 200: { description: 'Stored.' }, '4XX': { description: 'Refused.' } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 300 },
          code: letters,
          share: { type: 'number', minimum: -1.5, exclusiveMaximum: 1000 },
          step: { type: 'integer', format: 'int32', multipleOf: 5 },
          note: { type: ['string', 'null'] },
          tags: { type: 'array', minItems: 1, maxItems: 12, uniqueItems: true, items: { type: 'string' } },
          labels: { type: 'object', maxProperties: 20, additionalProperties: { type: 'string' } },
          owner: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, mail: letters } },
          like: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Thing' }] },
          lines: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Line' }] } },
        },
      },
      Line: { type: 'object', properties: { count: { type: 'integer', minimum: 0, maximum: 98_765 } } },
    },
  },
};

interface Received {
  readonly size: string | undefined;
  readonly query: URLSearchParams;
  readonly label: string | undefined;
  /** What the body has at a place, such as `lines/0/count`; undefined: nothing. */
  at(place: string): unknown;
}

const edges: [string, (received: Received) => boolean][] = [
  ['the lowest number in the path', ({ size }) => size === '2'],
  ['the highest number in the path', ({ size }) => size === '123456'],
  ['0 in the query', ({ query }) => query.get('limit') === '0'],
  ['the number below an exclusive limit in the query', ({ query }) => query.get('limit') === '54320'],
  ['an empty text in the query', ({ query }) => query.get('search') === ''],
  ['the longest text in the query', ({ query }) => Array.from(query.get('search') ?? '').length === 64],
  ['the longest text in a header', ({ label }) => label?.length === 37],
  ['no body', ({ at }) => at('') === undefined],
  ['a body with nothing optional', ({ at }) => Object.keys(Object(at(''))).join() === 'name'],
  ['an empty text in a property that is required', ({ at }) => at('name') === ''],
  ['the longest text', ({ at }) => Array.from(String(at('name'))).length === 300],
  ['the shortest text of a pattern', ({ at }) => String(at('code')).length === 3],
  ['the longest text of a pattern', ({ at }) => String(at('code')).length === 37],
  ['a share of 0', ({ at }) => at('share') === 0],
  ['the lowest share', ({ at }) => at('share') === -1.5],
  ['the highest share', ({ at }) => Number(at('share')) > 999.999_999_999],
  ['the lowest number of a format and a step', ({ at }) => at('step') === -2_147_483_645],
  ['the highest number of a format and a step', ({ at }) => at('step') === 2_147_483_645],
  ['null', ({ at }) => at('note') === null],
  ['an empty text where null is allowed', ({ at }) => at('note') === ''],
  ['the shortest list', ({ at }) => at('tags/0') !== undefined && at('tags/1') === undefined],
  ['the longest list', ({ at }) => at('tags/11') !== undefined],
  ['an empty text in a list', ({ at }) => at('tags/0') === ''],
  ['an empty list', ({ at }) => Array.isArray(at('lines')) && at('lines/0') === undefined],
  ['an empty map', ({ at }) => isEmpty(at('labels'))],
  ['the largest map', ({ at }) => Object.keys(Object(at('labels'))).length === 20],
  ['an object with nothing optional', ({ at }) => Object.keys(Object(at('owner'))).join() === 'id'],
  ['0 in an object that is optional', ({ at }) => at('owner/id') === 0],
  ['the longest text in an object that is optional', ({ at }) => String(at('owner/mail')).length === 37],
  ['null in a branch', ({ at }) => at('like') === null],
  ['an empty text in a branch', ({ at }) => at('like/name') === ''],
  ['an empty object in a list', ({ at }) => isEmpty(at('lines/0'))],
  ['the highest number in a list', ({ at }) => at('lines/0/count') === 98_765],
  ['0 in an object of a branch', ({ at }) => at('like/owner/id') === 0],
];

test.each(['0', '1', '2', '3'])('sends every edge alone, before other requests, with the seed %s', async (seed) => {
  const { planned } = await fuzz(() => false, seed);
  const missing = edges.filter(([, isAt]) => !planned.some(isAt)).map(([name]) => name);
  expect(missing).toEqual([]);
  const optional = planned.map(({ query, label, at }) =>
    [query.size > 0, label !== undefined, at('') !== undefined].filter(Boolean),
  );
  expect(optional.filter(({ length }) => length > 1)).toEqual([]);
});

const examples = [
  '0 in the query',
  'an empty text where null is allowed',
  'an empty list',
  'the longest text',
  'the highest share',
];

test.each(edges.filter(([name]) => examples.includes(name)))(
  'finds a server that fails only at %s',
  async (_, isAt) => {
    const { code, output } = await fuzz(isAt, '5');
    expect(output).toMatch(/^\d+\. putThing: server error 500$/m);
    expect(code).toBe(1);
  },
);

test('counts the edges that no request can have', async () => {
  const { output } = await fuzz(() => false, '5');
  expect(output).toMatch(/^✓ putThing {2}allowed: 400 \(\d+\); none succeeded; 2 edges not tried$/m);
});

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Fuzzes a server that answers 500 to what it fails at, and refuses all else.
 *
 * @returns also the planned requests that it received: of the allowed ones, which come first, all but the last
 */
async function fuzz(
  fails: (received: Received) => boolean,
  seed: string,
): Promise<{ code: number; output: string; planned: readonly Received[] }> {
  const seen: Received[] = [];
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://things');
      const label = request.headers['x-label'];
      const received: Received = {
        size: url.pathname.split('/')[2],
        query: url.searchParams,
        label: typeof label === 'string' ? label : undefined,
        at: (place) => valueAt(body, place),
      };
      seen.push(received);
      reply.writeHead(fails(received) ? 500 : 400).end();
    });
  });
  const { origin } = await listen(server, { host: '127.0.0.1', port: 0 });
  const lines: string[] = [];
  try {
    const code = await runFuzz(contract, origin, { seed, requests: '1' }, (line) => lines.push(line));
    const output = lines.join('\n');
    const allowed = /allowed: 400 \((\d+)\)/.exec(output)?.[1];
    return { code, output, planned: seen.slice(0, Number(allowed) - 1) };
  } finally {
    await closeServer(server);
  }
}

function valueAt(body: string, place: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (const key of place === '' ? [] : place.split('/'))
    value = Object.entries(Object(value)).find(([name]) => name === key)?.[1];
  return value;
}

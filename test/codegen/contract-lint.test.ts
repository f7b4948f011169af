/** The rules of `openapi/README.md` that Redocly checks: `npm run check:contracts` runs them on our contracts. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const text = { type: 'string' };
const requestId = { 'X-Request-Id': { description: 'The number of the request.', required: true, schema: text } };
const problem = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'title', 'status'],
  properties: { type: text, title: text, status: { type: 'integer' } },
};

/** A contract in which lint finds nothing. */
function rightContract(): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: 'https://things.test' }],
    tags: [{ name: 'things', description: 'Things.' }],
    paths: {
      '/things/{thing_id}': {
        put: {
          operationId: 'writeThing',
          summary: 'Write a thing',
          description: 'Writes it.',
          tags: ['things'],
          security: [{ bearer: [] }],
          parameters: [
            { name: 'thing_id', in: 'path', required: true, description: 'Its id.', schema: text, example: 'a' },
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { name: 'A' } } },
          },
          responses: {
            '200': {
              description: 'Done.',
              headers: requestId,
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { name: 'A' } },
              },
            },
            '404': {
              description: 'No.',
              headers: requestId,
              content: {
                'application/problem+json': { schema: problem, example: { type: '/a', title: 'A', status: 404 } },
              },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Thing: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: text } },
      },
    },
  };
}

const put = ['paths', '/things/{thing_id}', 'put'];
const thing = ['components', 'schemas', 'Thing'];
const reply = [...put, 'responses', '200'];

/** What is changed where, and the rule that refuses it; undefined removes the place. */
const broken: readonly (readonly [what: string, rule: string, place: readonly string[], value: unknown])[] = [
  ['an operation without operationId', 'operation-operationId', [...put, 'operationId'], undefined],
  [
    'an operationId that is not in camelCase',
    'rule/operation-id-in-camel-case',
    [...put, 'operationId'],
    'write_thing',
  ],
  ['an operation without summary', 'operation-summary', [...put, 'summary'], undefined],
  ['an operation without description', 'operation-description', [...put, 'description'], undefined],
  ['an operation without a tag', 'operation-tag-defined', [...put, 'tags'], undefined],
  ['an operation of two tags', 'operation-singular-tag', [...put, 'tags'], ['things', 'things']],
  ['a tag that is not defined', 'operation-tag-defined', [...put, 'tags'], ['others']],
  ['an operation without security', 'security-defined', [...put, 'security'], undefined],
  ['a parameter without description', 'parameter-description', [...put, 'parameters', '0', 'description'], undefined],
  ['an open object', 'rule/closed-objects', [...thing, 'additionalProperties'], undefined],
  ['allOf', 'rule/no-all-of', [...thing, 'properties', 'name'], { allOf: [text] }],
  ['anyOf', 'rule/no-all-of', [...thing, 'properties', 'name'], { anyOf: [text] }],
  ['a discriminator', 'rule/no-all-of', [...thing, 'discriminator'], { propertyName: 'name' }],
  ['a required property that does not exist', 'no-required-schema-properties-undefined', [...thing, 'required'], ['a']],
  [
    'an example that breaks its schema',
    'no-invalid-media-type-examples',
    [...reply, 'content', 'application/json', 'example'],
    { name: 7 },
  ],
  ['an example of a parameter that does', 'no-invalid-parameter-examples', [...put, 'parameters', '0', 'example'], 7],
  ['a reply without X-Request-Id', 'response-contains-header', [...reply, 'headers'], undefined],
  ['a redirect without it', 'response-contains-header', [...put, 'responses', '302'], { description: 'Elsewhere.' }],
  ['an error without it', 'response-contains-header', [...put, 'responses', '404', 'headers'], undefined],
  [
    'a reply of another media type',
    'response-mime-type',
    [...reply, 'content'],
    { 'text/csv': { schema: text, example: 'a' } },
  ],
  [
    'an error without a title',
    'operation-4xx-problem-details-rfc7807',
    [...put, 'responses', '404', 'content', 'application/problem+json', 'schema', 'properties', 'title'],
    undefined,
  ],
  ['a path with a verb', 'no-http-verbs-in-paths', ['paths', '/get-things'], {}],
  ['a path that is not in kebab case', 'paths-kebab-case', ['paths', '/manyThings'], {}],
];

let folder: string;
let rulesOf: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-lint-'));
  await writeFile(join(folder, 'right.json'), JSON.stringify(rightContract()));
  for (const [index, [, , place, value]] of broken.entries()) {
    await writeFile(join(folder, `${index}.json`), JSON.stringify(brokenContract(place, value)));
  }
  rulesOf = await lint(['right.json', ...broken.map((_, index) => `${index}.json`)]);
});
afterAll(() => rm(folder, { recursive: true }));

test('A contract that keeps the rules is accepted', () => {
  expect(rulesOf.get('right.json') ?? []).toEqual([]);
});

test.each(broken.map(([what, rule], index) => [what, rule, index] as const))('%s breaks %s', (_what, rule, index) => {
  expect(rulesOf.get(`${index}.json`)).toContain(rule);
});

function brokenContract(place: readonly string[], value: unknown): object {
  const contract = rightContract();
  const last = place.at(-1) ?? '';
  let holder = contract;
  for (const key of place.slice(0, -1)) holder = holder[key] as Record<string, unknown>; // objects or lists all the way
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return contract;
}

/** The part of Redocly's report that is read. */
interface Report {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly location: readonly [{ readonly source: { readonly ref: string } }];
  }[];
}

/** Lints all files in one process, with the rules of `redocly.yaml`. Returns the broken rules by file. */
async function lint(files: readonly string[]): Promise<Map<string, string[]>> {
  const args = ['lint', ...files.map((file) => join(folder, file)), '--config', 'redocly.yaml', '--format', 'json'];
  const printed = await new Promise<string>((resolve) => {
    const cli = 'node_modules/@redocly/cli/bin/cli.js';
    const options = { env: { ...process.env, REDOCLY_TELEMETRY: 'off' }, maxBuffer: 1 << 26 };
    // It fails, since there are faults.
    execFile(process.execPath, [cli, ...args, '--max-problems', '1000'], options, (_error, stdout) => {
      resolve(stdout);
    });
  });
  const found = new Map<string, string[]>();
  // One report for each file.
  for (const report of printed.split(/(?<=^\})(?=\{$)/m)) {
    const { problems } = JSON.parse(report) as Report;
    for (const { ruleId, location } of problems) {
      const file = basename(location[0].source.ref);
      found.set(file, [...(found.get(file) ?? []), ruleId]);
    }
  }
  return found;
}

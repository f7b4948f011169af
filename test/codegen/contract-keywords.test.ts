import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { getTypes } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleDocument } from '../../src/codegen/read/bundle.js';
import { contractKeywords, refusalOf } from '../../src/codegen/check/contract-keywords.js';
import { record } from '../../src/contract-tools/documents.js';

const require = createRequire(import.meta.url);

/** Objects that Redocly knows in addition to those of OpenAPI. */
const ofRedocly = /^(?:Logo|TagGroup|X[A-Z]\w*)$/;

/** The keywords of each object of OpenAPI 3.1, as Redocly knows them; of schemas also those of JSON Schema 2020-12. */
const specified = new Map<string, Set<string>>(
  Object.entries(getTypes('oas3_1')).flatMap(([name, type]) => {
    const keywords = Object.keys(record(type.properties)).filter((keyword) => !keyword.startsWith('x-'));
    return keywords.length === 0 || ofRedocly.test(name) ? [] : [[name, new Set(keywords)]];
  }),
);
for (const part of ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content']) {
  const vocabulary: unknown = require(`ajv/dist/refs/json-schema-2020-12/meta/${part}.json`);
  for (const keyword of Object.keys(record(record(vocabulary)['properties']))) specified.get('Schema')?.add(keyword);
}
// Redocly accepts these in schemas, but no version that OpenAPI 3.1 refers to has them.
for (const foreign of ['id', 'summary']) specified.get('Schema')?.delete(foreign);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-keywords-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes a contract, and returns what the bundler says of it, line by line; nothing: it is accepted. */
async function refusals(contract: unknown): Promise<string[]> {
  const file = join(folder, 'contract.json');
  await writeFile(file, JSON.stringify(contract, null, 1));
  return bundleDocument(file).then(
    () => [],
    (error: unknown) => (error instanceof Error ? error.message.split('\n') : [String(error)]),
  );
}

/** A contract in which every object of OpenAPI stands once, with `added` in the object `name`. */
function contractWith(name: string, added: object): unknown {
  const put = (type: string, object: object): object => ({ ...object, ...(type === name ? added : {}) });
  const schema = put('Schema', {
    type: 'object',
    externalDocs: put('ExternalDocs', { url: 'https://docs.example' }),
    ...(name === 'Discriminator' ? { discriminator: put('Discriminator', { propertyName: 'type' }) } : {}),
    ...(name === 'Xml' ? { xml: put('Xml', {}) } : {}),
  });
  const media = put('MediaType', {
    schema,
    examples: { one: put('Example', { value: {} }) },
    ...(name === 'Encoding' ? { encoding: { part: put('Encoding', {}) } } : {}),
  });
  const response = put('Response', {
    description: 'Done.',
    headers: { Age: put('Header', { schema: { type: 'string' } }) },
    content: { 'application/json': media },
    ...(name === 'Link' ? { links: { next: put('Link', {}) } } : {}),
  });
  const flows = ['ImplicitFlow', 'PasswordFlow', 'ClientCredentials', 'AuthorizationCode'];
  const flow = `${name.charAt(0).toLowerCase()}${name.slice(1)}`.replace(/Flow$/, '');
  const hasFlows = flows.includes(name) || name === 'OAuth2Flows';
  const operation = put('Operation', {
    operationId: 'readThing',
    parameters: [put('Parameter', { name: 'page', in: 'query', schema: { type: 'string' } })],
    requestBody: put('RequestBody', { content: { 'application/json': { schema: { type: 'string' } } } }),
    responses: put('Responses', { 200: response }),
  });
  return put('Root', {
    openapi: '3.1.0',
    info: put('Info', { title: 'T', version: '1', contact: put('Contact', {}), license: put('License', {}) }),
    servers: [put('Server', { url: 'https://{a}.example', variables: { a: put('ServerVariable', { default: 'b' }) } })],
    tags: [put('Tag', { name: 'a' })],
    paths: { '/things': put('PathItem', { get: operation }) },
    components: put('Components', {
      securitySchemes: {
        bearer: put('SecurityScheme', {
          type: 'http',
          scheme: 'bearer',
          ...(hasFlows ? { flows: put('OAuth2Flows', flows.includes(name) ? { [flow]: added } : {}) } : {}),
        }),
      },
    }),
  });
}

/** Values of keywords whose value has a rule. */
function valueOf(object: string, keyword: string): unknown {
  if (keyword === 'style') return object === 'Header' ? 'simple' : 'form';
  if (keyword === 'explode') return object !== 'Header';
  const values = {
    openapi: '3.1.0',
    operationId: 'readA',
    format: 'uuid',
    type: 'string',
    in: 'query',
    schema: { type: 'string' },
  };
  return Object.entries(values).find(([name]) => name === keyword)?.[1] ?? {};
}

describe('The objects of OpenAPI 3.1', () => {
  test('are all known', () => {
    expect([...specified.keys()].sort()).toEqual(Object.keys(contractKeywords).sort());
  });

  test.each([...specified])('%s: every keyword is implemented or refused', (object, keywords) => {
    const unknown = [...keywords].filter((keyword) => refusalOf(object, keyword)?.includes('is not a keyword'));
    expect(unknown).toEqual([]);
  });

  // A `$ref` beside other keywords would replace the object.
  const inOne = [...specified].map(([object, all]) => [object, [...all].filter((each) => each !== '$ref')] as const);

  test.each(inOne)(
    '%s: what is refused fails with its place and rule, and nothing else does',
    async (object, keywords) => {
      const added = Object.fromEntries(keywords.map((keyword) => [keyword, valueOf(object, keyword)]));
      const lines = await refusals(contractWith(object, added));
      const text = (await readFile(join(folder, 'contract.json'), 'utf8')).split('\n');
      const refused = lines.flatMap((line) => {
        const [, place = '', type, keyword = '', reason] =
          /^(\S+) (\w+)\.(\S+) is refused \(rule plumbline\/keywords\): (.+): .*$/.exec(line) ?? [];
        if (type !== object) return [];
        const [file, row = ''] = place.split(':');
        expect(file).toBe(relative('', join(folder, 'contract.json')));
        expect(text[Number(row) - 1]).toContain(`"${keyword}"`);
        expect(reason).not.toBe('');
        return [keyword];
      });
      expect(refused.sort()).toEqual(keywords.filter((keyword) => refusalOf(object, keyword) !== null).sort());
    },
  );

  test('An unknown keyword is refused, such as a misspelt extension', async () => {
    const [line] = await refusals(contractWith('Operation', { 'x-rate-limits': [] }));
    expect(line).toContain('Operation.x-rate-limits is refused (rule plumbline/keywords): it is not a keyword');
  });
});

describe('A contract is refused with file, line and rule', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const parameter = (more: object): unknown => contractWith('Parameter', more);
  const path = (template: string): unknown => ({
    ...record(contractWith('', {})),
    paths: { [template]: { get: { operationId: 'readThing', responses: {} } } },
  });

  test.each<[string, unknown, string]>([
    ['a colon in a path', path('/things:search'), 'Paths./things:search'],
    ['a colon after a parameter', path('/things/{id}:archive'), 'Paths./things/{id}:archive'],
    ['a parameter that is a part of a segment', path('/things/{id}.json'), 'Paths./things/{id}.json'],
    ['a star in a path', path('/things/*'), 'Paths./things/*'],
    ['a parameter of the path that is not ASCII', path('/files/{größe}'), 'Paths./files/{größe}'],
    ['the name of a header that is not ASCII', parameter({ in: 'header', name: 'Größe' }), 'Parameter.name'],
    ['deepObject', parameter({ style: 'deepObject', schema: list }), 'Parameter.style'],
    ['pipeDelimited', parameter({ style: 'pipeDelimited', schema: list }), 'Parameter.style'],
    ['spaceDelimited', parameter({ style: 'spaceDelimited', schema: list }), 'Parameter.style'],
    ['a list that is not exploded', parameter({ explode: false, schema: list }), 'Parameter.explode'],
    ['an exploded path', parameter({ in: 'path', required: true, explode: true }), 'Parameter.explode'],
    ['a label in a path', parameter({ in: 'path', required: true, style: 'label' }), 'Parameter.style'],
    ['an object as a parameter', parameter({ schema: { type: 'object' } }), 'Parameter.schema'],
    ['an object or null as a parameter', parameter({ schema: { type: ['object', 'null'] } }), 'Parameter.schema'],
    ['a list of lists', parameter({ schema: { type: 'array', items: list } }), 'Parameter.schema'],
    ['a list in a path', parameter({ in: 'path', required: true, schema: list }), 'Parameter.schema'],
    ['a list in a header', parameter({ in: 'header', schema: list }), 'Parameter.schema'],
    ['a list in a cookie', parameter({ in: 'cookie', schema: list }), 'Parameter.schema'],
    ['a list in an alternative', parameter({ in: 'header', schema: { oneOf: [list] } }), 'Parameter.schema'],
    ['a list in a header of a reply', contractWith('Header', { schema: list }), 'Header.schema'],
    ['an exploded header of a reply', contractWith('Header', { explode: true }), 'Header.explode'],
    ['a range of statuses', contractWith('Responses', { '4XX': { description: 'No.' } }), 'Responses.4XX'],
    ['an unknown format', contractWith('Schema', { format: 'colour' }), 'Schema.format'],
    ['an operation named delete', contractWith('Operation', { operationId: 'delete' }), 'Operation.operationId'],
    ['an operation named import', contractWith('Operation', { operationId: 'import' }), 'Operation.operationId'],
  ])('for %s', async (_what, contract, keyword) => {
    const [first = '', ...others] = await refusals(contract);
    expect(first).toMatch(/contract\.json:\d+:\d+ /);
    expect(first).toContain(`${keyword} is refused (rule plumbline/keywords): `);
    expect(others).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a list in a query', parameter({ schema: list })],
    ['the usual serialization', parameter({ style: 'form', explode: true, schema: list })],
    ['text or null in a query', parameter({ schema: { oneOf: [{ type: 'string' }, { type: 'null' }] } })],
    ['a parameter of a path', path('/things/{thing_id}/parts')],
    ['a file of a well-known place', path('/.well-known/jwks.json')],
    ['a bare verb that is not a reserved word', contractWith('Operation', { operationId: 'login' })],
  ])('but not for %s', async (_what, contract) => {
    expect(await refusals(contract)).toEqual([]);
  });

  test('also in extensions that contain objects of OpenAPI', async () => {
    const broken = { 404: { description: 'No.', links: {} } };
    const derived = [{ when: ['secured'], responses: broken, adds: {}, headers: { A: { content: {} } } }];
    const scheme = { type: 'http', scheme: 'bearer', 'x-principal': { name: 'A', schema: { allOf: [] } } };
    const lines = await refusals({
      ...record(contractWith('', {})),
      'x-api-responses': broken,
      'x-derived-responses': derived,
      components: { securitySchemes: { bearer: scheme } },
    });
    const refused = lines.map((line) => / (\w+\.\w+) is refused/.exec(line)?.[1]);
    expect(refused.sort()).toEqual(['Header.content', 'Response.links', 'Response.links', 'Schema.allOf']);
  });
});

import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/codegen/read/openapi-document.js';
import { readContract } from '../../src/codegen/read/read-contract.js';
import { record } from '../../src/contract-tools/documents.js';

/** A small contract that keeps every rule. */
function rightContract(): Record<string, unknown> {
  const text = { type: 'string' };
  const principal = { name: 'Caller', schema: { type: 'object', additionalProperties: false } };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    'x-max-body-bytes': 1000,
    'x-api-responses': { '404': { description: 'No.', content: problem('RouteNotFoundProblem') } },
    paths: {
      '/things/{thing_id}': {
        parameters: [{ name: 'thing_id', in: 'path', required: true, schema: text, example: 'a' }],
        put: {
          operationId: 'writeThing',
          summary: 'Write a thing',
          security: [{ bearer: ['admin'] }],
          parameters: [
            { name: 'page', in: 'query', schema: { type: 'integer', default: 1 }, example: 1 },
            { name: 'tag', in: 'query', schema: { type: 'array', items: text }, example: ['a'] },
            { name: 'If-Match', in: 'header', required: true, schema: text, example: 'a' },
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { name: 'A' } } },
          },
          responses: {
            '200': {
              description: 'Done.',
              headers: {
                Location: { required: true, schema: text },
                Age: { schema: { type: 'integer' } },
                'X-Request-Id': { required: true, 'x-set-by': 'pipeline', schema: text },
              },
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/StoredThing' }, example: { name: 'A' } },
              },
            },
            '404': { description: 'No.', content: problem('ThingNotFoundProblem', 'RouteNotFoundProblem') },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          'x-principal': principal,
          'x-scopes': { admin: { description: 'May write.' } },
        },
      },
      schemas: {
        Thing: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: { name: text, note: { type: 'string', default: '' } },
        },
        StoredThing: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: text } },
        RouteNotFoundProblem: {
          type: 'object',
          'x-problem': { 'raised-by': 'pipeline' },
          additionalProperties: false,
          required: ['status'],
          properties: { status: { const: 404 } },
        },
        ThingNotFoundProblem: {
          type: 'object',
          'x-problem': { 'raised-by': 'service' },
          additionalProperties: false,
          required: ['status', 'thing'],
          properties: { status: { enum: [404, 410] }, thing: text },
        },
      },
    },
  };
}

function problem(...names: string[]): object {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schema = references.length === 1 ? references[0] : { oneOf: references };
  return { 'application/problem+json': { schema, example: { status: 404 } } };
}

/** Reads the valid contract with `value` at a path; undefined removes the path. */
function readWith(place: readonly string[], value: unknown): ReturnType<typeof readContract> {
  const contract = rightContract();
  const last = place.at(-1) ?? '';
  let holder = contract;
  for (const key of place.slice(0, -1)) holder = holder[key] as Record<string, unknown>; // objects all the way
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return readContract('things', contract as unknown as OpenApiDocument); // broken on purpose
}

const put = ['paths', '/things/{thing_id}', 'put'];
const where = 'PUT /things/{thing_id}';

test('A valid contract is read completely', () => {
  const [operation, ...others] = readWith([], undefined).operations;
  expect(others).toEqual([]);
  expect(operation).toMatchObject({
    id: 'writeThing',
    method: 'PUT',
    maxBodyBytes: 1000,
    security: { anonymous: false, schemes: [{ name: 'bearer', scope: 'admin', principal: 'Caller' }] },
    parameters: {
      path: { names: ['thing_id'], schema: { required: ['thing_id'], additionalProperties: false } },
      query: { names: ['page', 'tag'], lists: ['tag'], defaulted: ['page'], schema: { additionalProperties: false } },
      header: { names: ['if-match'], schema: { required: ['if-match'], additionalProperties: true } },
    },
    body: { required: true, mediaType: 'application/json', defaulted: ['note'] },
    replies: [
      {
        kind: 'success',
        status: 200,
        headers: [
          { name: 'Location', required: true, type: 'string', setBy: 'handler' },
          { name: 'Age', required: false, type: 'number', setBy: 'handler' },
          { name: 'X-Request-Id', required: true, type: 'string', setBy: 'pipeline' },
        ],
      },
      { kind: 'problem', status: 404, problems: [{ slug: 'thing-not-found' }, { slug: 'route-not-found' }] },
    ],
  });
});

test('An operation may override the default body limit', () => {
  expect(readWith([...put, 'x-max-body-bytes'], 5).operations[0]?.maxBodyBytes).toBe(5);
  expect(readWith(['x-max-body-bytes'], undefined).operations[0]?.maxBodyBytes).toBe(65_536);
});

test('Undeclared cookies are allowed', () => {
  const parameter = { name: 'crumb', in: 'cookie', required: true, schema: { type: 'string' }, example: 'a' };
  expect(readWith([...put, 'parameters'], [parameter]).operations[0]?.parameters.cookie).toMatchObject({
    names: ['crumb'],
    schema: { required: ['crumb'], additionalProperties: true },
  });
});

test('An empty security alternative allows anonymous callers; an empty list reads no credential', () => {
  const securityOf = (security: unknown): unknown => readWith([...put, 'security'], security).operations[0]?.security;
  expect(securityOf([{ bearer: [] }, {}])).toMatchObject({
    anonymous: true,
    schemes: [{ name: 'bearer', scope: null }],
  });
  expect(securityOf([])).toEqual({ anonymous: true, schemes: [] });
});

describe('a violation of a rule is an error with its place', () => {
  const json = { 'application/json': { schema: { type: 'string' } } };
  const broken: [rule: string, place: string[], value: unknown, says: string][] = [
    ['a status by range', [...put, 'responses', '4XX'], { description: '' }, `${where}: status 4XX: statuses must be numbers`],
    ['a limit of an undocumented status', [...put, 'x-rate-limit'], [{ name: 'a', setting: 'A', key: ['ip'], counts: [200, 418] }], `${where}: the rate limit a counts 418, which it never answers`],
    ['default', [...put, 'responses', 'default'], { description: '' }, `${where}: status default`],
    ['an error that is not a problem', [...put, 'responses', '400'], { description: '', content: json }, `${where}: status 400 is an error and must be application/problem+json`],
    ['an error without a body', [...put, 'responses', '400'], { description: '' }, `${where}: status 400 is an error`],
    ['an error whose schema is its own', [...put, 'responses', '400'], { description: '', content: { 'application/problem+json': { schema: { type: 'object', additionalProperties: false } } } }, `${where}: status 400: an error's schema is a $ref into problems.yaml`],
    ['an error that refers to no problem', [...put, 'responses', '400'], { description: '', content: problem('Thing') }, `${where}: status 400: an error's schema is a $ref`],
    ['an error whose problem is not of the catalogue', ['components', 'schemas', 'ThingNotFoundProblem', 'x-problem'], undefined, `${where}: status 404: an error's schema is a $ref into problems.yaml`],
    ['an error with the problem of another status', [...put, 'responses', '400'], { description: '', content: problem('ThingNotFoundProblem') }, `${where}: status 400: ThingNotFoundProblem has a different status`],
    ['an unrouted reply with the problem of another status', ['x-api-responses', '405'], { description: '', content: problem('RouteNotFoundProblem') }, 'x-api-responses 405: RouteNotFoundProblem has a different status'],
    ['an error without a schema', [...put, 'responses', '400'], { description: '', content: { 'application/problem+json': {} } }, `${where}: status 400: an error's schema is a $ref`],
    ['two media types', [...put, 'responses', '200', 'content'], { ...json, 'text/plain': {} }, `${where}: status 200 has more than one media type`],
    ['an unknown media type', [...put, 'responses', '200', 'content'], { 'image/png': {} }, `${where}: replies of type image/png are not supported`],
    ['a body of an unknown type', [...put, 'requestBody', 'content'], { 'text/csv': {} }, `${where}: request bodies of type text/csv are not supported`],
    ['a form that is a text', [...put, 'requestBody', 'content'], { 'application/x-www-form-urlencoded': { schema: { type: 'string' } } }, `${where}: a form has names and values, so its schema must be an object`],
    ['YAML that is not a text', [...put, 'requestBody', 'content'], { 'application/yaml': { schema: { $ref: '#/components/schemas/Thing' } } }, `${where}: a body of type application/yaml is text, so its schema must be a string`],
    ['a body of two types', [...put, 'requestBody', 'content'], { ...json, 'text/csv': {} }, `${where}: a request body has exactly one media type`],
    ['a body without a schema', [...put, 'requestBody', 'content'], { 'application/json': {} }, `${where}: the request body has no schema`],
    ['a reference that leads nowhere', [...put, 'requestBody'], { $ref: '#/components/requestBodies/None' }, `${where}: #/components/requestBodies/None does not resolve`],
    ['no security', [...put, 'security'], undefined, `${where}: security is missing`],
    ['two schemes at once', [...put, 'security'], [{ bearer: [], key: [] }], `${where}: two security schemes at once`],
    ['alternatives with the same prefix', [...put, 'security'], [{ bearer: ['admin'] }, { bearer: [] }], `${where}: alternatives need different x-token-prefix`],
    ['an unknown scheme', [...put, 'security'], [{ key: [] }], `${where}: security scheme key does not exist`],
    ['an unknown scope', [...put, 'security'], [{ bearer: ['root'] }], `${where}: scope root is not in x-scopes of bearer`],
    ['two scopes', [...put, 'security'], [{ bearer: ['admin', 'root'] }], `${where}: at most one scope`],
    ['a scheme without principal', ['components', 'securitySchemes', 'bearer', 'x-principal'], undefined, 'security scheme bearer has no x-principal'],
    ['an unsupported scheme', ['components', 'securitySchemes', 'bearer', 'scheme'], 'basic', 'security scheme bearer: http is not supported'],
    ['tokens that are verified elsewhere', ['components', 'securitySchemes', 'bearer', 'x-verified-in'], 'cache', 'security scheme bearer: x-verified-in is memory'],
    ['an unrouted reply without a problem', ['x-api-responses', '404', 'content'], json, 'x-api-responses 404: an error'],
    ['an open schema', ['components', 'schemas', 'Thing', 'additionalProperties'], undefined, '#/components/schemas/Thing: an object schema needs additionalProperties: false'],
    ['a schema that says to be open', ['components', 'schemas', 'Thing', 'additionalProperties'], true, '#/components/schemas/Thing: an object schema needs additionalProperties: false'],
    ['an open schema deep inside', ['components', 'schemas', 'Thing', 'properties', 'a/b'], { type: ['null', 'object'] }, '#/components/schemas/Thing/properties/a~1b: an object schema'],
    ['a name that is not in snake_case', ['components', 'schemas', 'Thing', 'properties', 'aName'], { type: 'string' }, '#/components/schemas/Thing: the property aName is not in snake_case'],
    ['an operation without a verb', [...put, 'operationId'], 'thing', 'operationId thing does not begin with a verb'],
    ['a parameter without an example', [...put, 'parameters'], [{ name: 'page', in: 'query', schema: { type: 'integer' } }], `${where}: the parameter page has no example`],
    ['an idempotency key of another method than POST', [...put, 'parameters'], [{ name: 'idempotency-key', in: 'header', schema: { type: 'string' }, example: 'a' }], `${where}: Idempotency-Key is for POST with a caller`],
    ['a discriminator', ['components', 'schemas', 'Thing', 'discriminator'], { propertyName: 'name' }, '#/components/schemas/Thing: no discriminator'],
  ]; // prettier-ignore

  test.each(broken)('%s', (_rule, place, value, says) => {
    expect(() => readWith(place, value)).toThrow(says);
  });

  test('for an operationId that is used twice', () => {
    const again = record(rightContract()['paths'])['/things/{thing_id}'];
    expect(() => readWith(['paths', '/others/{thing_id}'], again)).toThrow('operationId writeThing is used twice');
  });

  test('for a creation without Idempotency-Key, where the API takes keys', () => {
    const { put: write } = record(record(rightContract()['paths'])['/things/{thing_id}']);
    const { '200': done } = record(record(write)['responses']);
    const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' }, example: 'a' };
    const post = (
      id: string,
      parameters: readonly object[],
      security: readonly object[] = [{ bearer: [] }],
    ): object => ({
      post: { operationId: id, summary: 'Add', security, parameters, responses: { '201': done } },
    });
    const read = (...items: readonly object[]): unknown =>
      readWith(['paths'], Object.fromEntries(items.map((item, index) => [`/things-${index}`, item])));
    const fault = 'POST /things-1: it creates something for a known caller, and takes no Idempotency-Key';
    expect(() => read(post('addThing', [key]), post('addOther', []))).toThrow(fault);
    expect(() => read(post('addThing', [key]), post('addOther', [], []))).not.toThrow();
    expect(() => read(post('addThing', []), post('addOther', []))).not.toThrow();
  });

  test('all violations at once', () => {
    const responses = { '4XX': { description: '' } };
    const operation = { operationId: 'readThing', summary: '', security: [], responses };
    const read = (): unknown => readWith(['paths'], { '/a': { get: operation }, '/b': { post: operation } });
    expect(read).toThrow(/The contract things violates its rules:\n- GET \/a: status 4XX.*\n- POST \/b: status 4XX/);
  });

  test('maps with a value schema, and examples, are not a violation', () => {
    const map = { type: 'object', additionalProperties: { type: 'string' }, example: { type: 'object' } };
    expect(() => readWith(['components', 'schemas', 'Map'], map)).not.toThrow();
  });
});

import { describe, expect, test } from 'vitest';
import { schemaFaults } from '../../src/codegen/check/schema-rules.js';
import type { OpenApiDocument, SchemaObject } from '../../src/codegen/read/openapi-document.js';

const text = { type: 'string' };
const closed = (properties: SchemaObject, required: readonly string[] = Object.keys(properties)): SchemaObject => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

function documentOf(schema: SchemaObject): OpenApiDocument {
  return { openapi: '3.1.0', info: { title: 'Things', version: '1' }, components: { schemas: { Thing: schema } } };
}

const where = '#/components/schemas/Thing';
const faultsOf = (schema: SchemaObject): string[] => schemaFaults(documentOf(schema));

test.each<[string, SchemaObject]>([
  ['a closed object', closed({ name: text })],
  ['a map', { type: 'object', additionalProperties: text }],
  ['a map whose keys are restricted', { type: 'object', propertyNames: text, additionalProperties: text }],
  ['an object or null', { oneOf: [closed({ name: text }), { type: 'null' }] }],
  ['properties with the names of keywords', closed({ properties: text, required: text, example: text, if: text })],
  ['data that looks like a schema', { ...text, examples: [{ type: 'object' }], default: { type: 'object' } }],
])('A schema is accepted that is %s', (_what, schema) => {
  expect(faultsOf(schema)).toEqual([]);
});

const open = 'an object schema needs additionalProperties: false, or the schema of its values';
const untyped = 'an object schema needs type: object';
const anything = 'a schema needs one of type, const, enum, oneOf, $ref';

test.each<[string, SchemaObject, string, string]>([
  ['an open object', { type: 'object' }, '', open],
  ['an open object or null', { type: ['null', 'object'] }, '', open],
  [
    'an open object as a property named as a keyword',
    closed({ example: { type: 'object' } }),
    '/properties/example',
    open,
  ],
  ['properties without a type', { properties: { name: text } }, '', untyped],
  ['a closed object without a type', { ...closed({ name: text }), type: undefined, const: {} }, '', untyped],
  ['properties beside a oneOf', { oneOf: [text], properties: { name: text } }, '', untyped],
  ['a property that may be anything', closed({ name: {} }), '/properties/name', anything],
  ['a property that is true', closed({ name: true }), '/properties/name', anything],
  ['a map of anything', { type: 'object', additionalProperties: {} }, '/additionalProperties', anything],
  ['a list of anything', { type: 'array' }, '', 'a list needs the schema of its items'],
])('A schema is refused that is %s', (_what, schema, place, fault) => {
  expect(faultsOf(schema)).toContain(`${where}${place}: ${fault}`);
});

test('A schema with x-any accepts every JSON value, and needs nothing else', () => {
  expect(faultsOf({ 'x-any': true, properties: { name: { 'x-any': true } } })).toEqual([]);
  expect(faultsOf({ 'x-any': false, type: 'object' })).toContain(`${where}: ${open}`);
});

test.each<[string, SchemaObject]>([
  ['allOf', { type: 'string', allOf: [text] }],
  ['anyOf', { type: 'string', anyOf: [text] }],
  ['not', { type: 'string', not: text }],
  ['if', { ...closed({ name: text }), if: { properties: { name: text } }, then: {} }],
  ['patternProperties', { ...closed({}), patternProperties: { '^a': closed({ name: text }, []) } }],
  ['prefixItems', { type: 'array', items: text, prefixItems: [closed({ name: text }, [])] }],
  ['contains', { type: 'array', items: text, contains: text }],
  ['dependentSchemas', { ...closed({ name: text }), dependentSchemas: { name: closed({}) } }],
  ['unevaluatedProperties', { ...closed({ name: text }), unevaluatedProperties: text }],
  ['$defs', { ...text, $defs: { Other: text } }],
])('The keyword %s is refused', (keyword, schema) => {
  expect(faultsOf(schema)).toContain(
    `${where}: no ${keyword}; alternatives are a oneOf, and other conditions are checked by handlers`,
  );
});

test('Schemas of parameters, headers, bodies, webhooks and principals are checked', () => {
  const wrong = { type: 'object' };
  const media = { content: { 'application/json': { schema: wrong } } };
  const header = { schema: wrong };
  const operation = {
    operationId: 'writeThing',
    summary: 'Write',
    parameters: [{ name: 'filter', in: 'query' as const, schema: wrong }],
    requestBody: media,
    responses: { '200': { description: 'Done.', headers: { 'X-Thing': header }, ...media } },
  };
  const scheme = { type: 'http', 'x-principal': { name: 'Caller', schema: wrong } };
  const document: OpenApiDocument = {
    ...documentOf(text),
    paths: { '/things': { post: operation } },
    webhooks: { 'thing.written': { post: { ...operation, parameters: [], responses: {} } } },
    components: { securitySchemes: { bearer: scheme } },
  };
  expect(schemaFaults(document).map((fault) => fault.split(':')[0])).toEqual([
    '#/components/securitySchemes/bearer/x-principal/schema',
    '#/paths/~1things/post/parameters/0/schema',
    '#/paths/~1things/post/requestBody/content/application~1json/schema',
    '#/paths/~1things/post/responses/200/headers/X-Thing/schema',
    '#/paths/~1things/post/responses/200/content/application~1json/schema',
    '#/webhooks/thing.written/post/requestBody/content/application~1json/schema',
  ]);
});

describe('The branches of a oneOf', () => {
  const kind = (value: string, more: SchemaObject = {}): SchemaObject => closed({ kind: { const: value }, ...more });

  test.each<[string, SchemaObject, SchemaObject]>([
    ['in a required constant', kind('a'), kind('b')],
    ['in their required keys', closed({ since: text }), closed({ preset: text })],
    ['in their type', text, { type: ['object', 'null'], additionalProperties: text }],
    ['in their values', { enum: ['a', 'b'] }, { const: 'c' }],
    ['in the constants of the branches of a branch', kind('a'), { oneOf: [kind('b'), kind('c')] }],
  ])('may differ %s', (_what, one, other) => {
    expect(faultsOf({ oneOf: [one, other] })).toEqual([]);
  });

  test.each<[string, SchemaObject, SchemaObject]>([
    ['identical objects', kind('a'), kind('a')],
    ['objects whose constant is optional', closed({ kind: { const: 'a' } }, []), closed({ kind: { const: 'b' } }, [])],
    ['a constant and the text that contains it', kind('a'), closed({ kind: text })],
    ['objects of which one has an optional key', closed({ a: text }), closed({ a: text, b: text }, ['a'])],
    ['two texts', text, { type: 'string', format: 'uuid' }],
    ['an integer and a number', { type: 'integer' }, { type: 'number' }],
    ['two nullable texts and numbers', { type: ['string', 'null'] }, { type: ['number', 'null'] }],
    ['an object and a branch of a branch', kind('a'), { oneOf: [kind('b'), kind('a')] }],
  ])('are refused that are %s', (_what, one, other) => {
    const fault = 'the branches of a oneOf differ neither in a required const property nor in their required keys';
    expect(faultsOf({ oneOf: [one, other] })).toEqual([`${where}: ${fault}`]);
  });
});

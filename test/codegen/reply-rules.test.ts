import { expect, test } from 'vitest';
import { replyFaults } from '../../src/codegen/check/reply-rules.js';
import type { OpenApiDocument, SchemaObject } from '../../src/codegen/read/openapi-document.js';

const text = { type: 'string' };

function faultsOf(schema: SchemaObject): string[] {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const get = { operationId: 'readThing', summary: 'Read', responses: { '200': { description: 'Data.', content } } };
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/things': { get } },
    components: { schemas: { Thing: schema } },
  };
  return replyFaults(document);
}

test('A schema of another standard can have optional properties', () => {
  expect(faultsOf({ type: 'object', 'x-standard': 'RFC 7643', properties: { name: text } })).toEqual([]);
});

test('A reply whose properties are all required is accepted', () => {
  expect(faultsOf({ type: 'object', properties: { name: text }, required: ['name'] })).toEqual([]);
});

test.each<[string, SchemaObject, string]>([
  [
    'a property that is not required',
    { type: 'object', properties: { name: text, note: text }, required: ['name'] },
    'Thing: the property note of a reply is not required; make it nullable instead',
  ],
  [
    'the same within a list within a property',
    {
      type: 'object',
      properties: { parts: { type: 'array', items: { type: 'object', properties: { name: text } } } },
      required: ['parts'],
    },
    'Thing.parts: the property name of a reply is not required; make it nullable instead',
  ],
  ['a schema that accepts every JSON value', { 'x-any': true }, 'Thing: a schema of a reply accepts every JSON value'],
  [
    'a default',
    { type: 'object', properties: { name: { type: 'string', default: 'x' } }, required: ['name'] },
    'Thing.name: a schema of a reply has a default',
  ],
])('A reply is refused with %s', (_what, schema, fault) => {
  expect(faultsOf(schema)).toEqual([fault]);
});

import { expect, test } from 'vitest';
import { exampleFaults } from '../../src/codegen/check/example-rules.js';
import type { MediaTypeObject, OpenApiDocument, ParameterObject } from '../../src/codegen/read/openapi-document.js';

const schema = { type: 'string' };
const full = { schema, example: 'a' };

function faultsOf({
  parameter = { name: 'page', in: 'query', ...full },
  body = full,
  reply = full,
}: {
  readonly parameter?: ParameterObject;
  readonly body?: MediaTypeObject;
  readonly reply?: MediaTypeObject;
}): string[] {
  const operation = {
    operationId: 'writeThing',
    summary: 'Write',
    requestBody: { content: { 'application/json': body } },
    responses: { '200': { description: 'Data.', content: { 'application/json': reply } } },
  };
  const document: OpenApiDocument = { openapi: '3.1.0', info: { title: 'Things', version: '1' } };
  return exampleFaults(document, { parameters: [parameter] }, operation);
}

test('Examples of a parameter, a body and a reply, single or named, are accepted', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ reply: { schema, examples: { first: { value: 'a' } } } })).toEqual([]);
  expect(faultsOf({ parameter: { name: 'page', in: 'query', schema: { ...schema, example: 'a' } } })).toEqual([]);
});

test.each([
  ['a reply', { reply: { schema } }, 'status 200: application/json has no example'],
  ['a request body', { body: { schema } }, 'the request body application/json has no example'],
  [
    'a reply (its map of examples is empty)',
    { reply: { schema, examples: {} } },
    'status 200: application/json has no example',
  ],
  ['a parameter', { parameter: { name: 'page', in: 'query', schema } }, 'the parameter page has no example'],
] as const)('%s without an example is refused', (_what, change, fault) => {
  expect(faultsOf(change)).toEqual([fault]);
});

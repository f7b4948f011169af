import { expect, test } from 'vitest';
import { checkHead } from '../../../src/contract-tools/gate/check-reply.js';
import { readDocument } from '../../../src/contract-tools/gate/contract.js';

const integer = { type: 'integer', minimum: 0 };

const schemas = {
  boolean: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  numbers: { type: 'array', items: integer, maxItems: 2 },
  nullable: { type: ['integer', 'null'] },
  combined: { allOf: [integer] },
  reference: { $ref: '#/components/schemas/Count' },
  either: { oneOf: [integer, { type: 'string', pattern: '^v' }] },
  listed: { enum: [1, 2] },
  digits: { type: 'string', pattern: '^[0-9]+$' },
  untyped: { pattern: '^v' },
} as const;

type Name = keyof typeof schemas;

test.each<[Name, string]>([
  ['boolean', 'true'],
  ['boolean', 'false'],
  ['texts', 'a,b'],
  ['texts', 'a , b'],
  ['texts', 'a'],
  ['texts', ''],
  ['numbers', '1, 2'],
  ['nullable', '3'],
  ['nullable', '-3'],
  ['combined', '3'],
  ['reference', '3'],
  ['either', '3'],
  ['either', 'v3'],
  ['listed', '2'],
  ['digits', '12'],
  ['untyped', 'v'],
])('A header whose schema is "%s" may be "%s"', (name, text) => {
  expect(faultsOf(name, text)).toEqual([]);
});

test.each<[Name, string, string]>([
  ['boolean', 'yes', 'must be boolean'],
  ['texts', 'a,c', '/1 must be equal to one of the allowed values'],
  ['numbers', '1,2,3', 'must NOT have more than 2 items'],
  ['nullable', 'many', 'must be integer,null'],
  ['nullable', '', 'must be integer,null'],
  ['nullable', '0x10', 'must be integer,null'],
  ['combined', '-1', 'must be >= 0'],
  ['reference', '1.5', 'must be integer'],
  ['listed', '3', 'must be equal to one of the allowed values'],
  ['digits', 'a', 'must match pattern "^[0-9]+$"'],
  ['untyped', '3', 'must match pattern "^v"'],
  ['untyped', 'a,b', 'must match pattern "^v"'],
])('A header whose schema is "%s" may not be "%s"', (name, text, message) => {
  expect(faultsOf(name, text)).toEqual([`getX 200: the header X-Value is not as documented: ${message}`]);
});

function faultsOf(name: Name, text: string): readonly string[] {
  const replies = { 200: { description: 'Sent', headers: { 'X-Value': { schema: schemas[name] } } } };
  const contract = readDocument('api', {
    openapi: '3.1.0',
    paths: { '/x': { get: { operationId: 'getX', responses: replies } } },
    components: { schemas: { Count: integer } },
  });
  return checkHead(contract, { method: 'GET', url: '/x', status: 200, headers: new Headers({ 'X-Value': text }) })
    .faults;
}

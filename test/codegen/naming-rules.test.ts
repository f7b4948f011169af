import { expect, test } from 'vitest';
import { namingFaults } from '../../src/codegen/check/naming-rules.js';
import type { OpenApiDocument, SchemaObject } from '../../src/codegen/read/openapi-document.js';

function faultsOf(properties: SchemaObject, changes: object = {}, operationId = 'addThing'): string[] {
  const operation = { operationId, summary: 'Add', responses: {} };
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/things': { post: operation } },
    components: { schemas: { Thing: { type: 'object', properties }, Time: { type: 'string', format: 'date-time' } } },
    ...changes,
  };
  return namingFaults(document);
}

test('Names and formats that keep the rules are accepted', () => {
  const properties = {
    id: { type: 'string', format: 'uuid' },
    owner_id: { type: ['string', 'null'], format: 'uuid' },
    container_id: { type: 'string', 'x-assigned-by': 'engine' },
    revision_id: { type: 'integer', 'x-assigned-by': 'engine' },
    started_at: { $ref: '#/components/schemas/Time' },
    time: { $ref: '#/components/schemas/Time' },
    ended_at: { oneOf: [{ $ref: '#/components/schemas/Time' }, { type: 'null' }] },
    user_ids: { type: 'array', items: { type: 'string', format: 'uuid' } },
    unit_ids: { type: ['array', 'null'], items: { type: 'string', 'x-assigned-by': 'caller' } },
    example: { type: 'object', properties: { enum: { type: 'string', enum: ['a', null] } } },
    person: {
      type: 'object',
      'x-standard': 'RFC 7643',
      properties: {
        userName: { type: 'string' },
        created: { $ref: '#/components/schemas/Time' },
        kind: { enum: ['workPlace'] },
      },
    },
    kind: { type: 'string', enum: ['pull_request', '30d', 'sync_runs:read'], example: 'Any text' },
  };
  expect(faultsOf(properties)).toEqual([]);
});

test.each<[string, SchemaObject, string]>([
  ['a property in camelCase', { aName: { type: 'string' } }, 'the property aName is not in snake_case'],
  ['a property with a hyphen', { 'a-name': { type: 'string' } }, 'the property a-name is not in snake_case'],
  ['a time without format', { ended_at: { type: ['string', 'null'] } }, 'the time ended_at has no format date-time'],
  [
    'a time whose name does not say so',
    { started: { $ref: '#/components/schemas/Time' } },
    'the name of the time started does not end in at',
  ],
  [
    'an id that may be any text, whatever its description',
    { id: { type: 'string', description: 'The id.' } },
    'the id id is not a UUID, and no x-assigned-by names the caller or the engine',
  ],
  [
    'an id of the server that is not a UUID',
    { thing_id: { type: 'string', 'x-assigned-by': 'server' } },
    'the id thing_id is not a UUID, and no x-assigned-by names the caller or the engine',
  ],
  [
    'a time in an alternative without format',
    { ended_at: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
    'the time ended_at has no format date-time',
  ],
  ['a time that is a number', { ended_at: { type: 'integer' } }, 'the time ended_at has no format date-time'],
  [
    'an id in an alternative that may be any text',
    { id: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
    'the id id is not a UUID, and no x-assigned-by names the caller or the engine',
  ],
  [
    'an id that is a number',
    { id: { type: 'integer' } },
    'the id id is not a UUID, and no x-assigned-by names the caller or the engine',
  ],
  [
    'a list of ids that may be any text',
    { user_ids: { type: 'array', items: { type: 'string' } } },
    'the id user_ids is not a UUID, and no x-assigned-by names the caller or the engine',
  ],
])('A schema is refused with %s', (_what, properties, fault) => {
  expect(faultsOf(properties)).toEqual([`#/components/schemas/Thing: ${fault}`]);
});

test.each(['Open', 'in progress', 'ON', 'a-b', ':read', 'sync:', 'a:b:c'])(
  'The enum value %j is refused, within lists too',
  (value) => {
    const kinds = { type: 'array', items: { type: 'string', enum: ['closed', value] } };
    expect(faultsOf({ kinds })).toEqual([
      `#/components/schemas/Thing/properties/kinds/items: the enum value ${value} is not in lower snake_case`,
    ]);
  },
);

test.each([1, true])('The enum value %j is refused, because it is not text', (value) => {
  expect(faultsOf({ kind: { enum: ['closed', value] } })).toEqual([
    `#/components/schemas/Thing/properties/kind: the enum value ${value} is not text`,
  ]);
});

test('A problem may have several statuses', () => {
  const problem = { type: 'object', 'x-problem': {}, properties: { status: { enum: [404, 410] } } };
  expect(faultsOf({}, { components: { schemas: { AProblem: problem } } })).toEqual([]);
});

test('The properties of an object within a property that is named as a keyword are checked', () => {
  const example = { type: 'object', properties: { aName: { type: 'string' } } };
  expect(faultsOf({ example })).toEqual([
    '#/components/schemas/Thing/properties/example: the property aName is not in snake_case',
  ]);
});

test('Parameters of the path, the query and cookies are in snake_case, and headers are not', () => {
  const parameter = (place: string, name: string): object => ({ name, in: place, schema: { type: 'string' } });
  const named = (...names: readonly string[]): object => {
    const [first = '', ...others] = names;
    const parameters = [parameter('query', first), { $ref: '#/components/parameters/Header' }];
    const get = { operationId: 'listThings', summary: 'List', responses: {}, parameters };
    const item = { parameters: others.map((name) => parameter('path', name)), get };
    return {
      paths: { '/things': item },
      components: { parameters: { Header: parameter('header', 'If-Match') } },
    };
  };
  expect(faultsOf({}, named('sort_order', 'thing_id'))).toEqual([]);
  expect(faultsOf({}, named('sortOrder', 'thing-id'))).toEqual([
    'GET /things: the parameter thing-id is not in snake_case',
    'GET /things: the parameter sortOrder is not in snake_case',
  ]);
});

test('A failure of the error catalogue keeps its names', () => {
  const failure = {
    type: 'object',
    'x-problem': {},
    properties: { case: { const: 'a' }, exitCode: { type: 'integer' }, code: { enum: [1] } },
  };
  expect(faultsOf({}, { components: { schemas: { Failure: failure } } })).toEqual([]);
});

test('A problem that is not a failure keeps the rules', () => {
  const problem = { type: 'object', 'x-problem': {}, properties: { exitCode: { type: 'integer' } } };
  expect(faultsOf({}, { components: { schemas: { AProblem: problem } } })).toEqual([
    '#/components/schemas/AProblem: the property exitCode is not in snake_case',
  ]);
});

test.each(['thing', 'thingsList', 'AddThing', 'adding'])('The operationId %s is refused', (id) => {
  expect(faultsOf({}, {}, id)).toEqual([`operationId ${id} does not begin with a verb of src/codegen/check/verbs.ts`]);
});

test('An operationId that is not in camelCase is refused', () => {
  expect(faultsOf({}, {}, 'add_thing')).toEqual(['operationId add_thing is not in camelCase']);
});

test('OpenAPI 3.0 is refused', () => {
  expect(faultsOf({}, { openapi: '3.0.3' })).toEqual(['OpenAPI 3.0.3 is not 3.1']);
});

test('An event is named resource.action', () => {
  const post = { operationId: 'receiveIt', summary: 'It', responses: {} };
  const webhooks = (event: string): object => ({ webhooks: { [event]: { post } } });
  expect(faultsOf({}, webhooks('sync_run.finished'))).toEqual([]);
  for (const event of ['finished', 'syncRun.finished', 'sync_run.finished.twice', 'sync-run.finished']) {
    expect(faultsOf({}, webhooks(event))).toEqual([`#/webhooks/${event}: the event is not resource.action`]);
  }
});

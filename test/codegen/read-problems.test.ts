import { expect, test } from 'vitest';
import { bundleProblems } from '../../src/codegen/read/bundle.js';
import { emitPipelineProblems, emitProblems } from '../../src/codegen/emit/problems.js';
import type { OpenApiDocument, SchemaObject } from '../../src/codegen/read/openapi-document.js';
import { readProblems } from '../../src/codegen/read/read-problems.js';
import { record } from '../../src/contract-tools/documents.js';

const right = {
  type: 'object',
  description: 'The door is stuck. Push.',
  'x-problem': { 'raised-by': 'service', headers: { Warning: 'stuck' } },
  additionalProperties: false,
  required: ['type', 'title', 'status', 'message', 'request_id', 'door'],
  properties: {
    type: { const: '/problems/door-stuck' },
    title: { const: 'Door stuck' },
    status: { const: 409 },
    message: { type: 'string' },
    request_id: { type: 'string' },
    door: { type: 'string' },
    since: { type: 'string' },
  },
};

const catalogueOf = (schema: SchemaObject, name = 'DoorStuckProblem'): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Problems', version: '1' },
  components: { schemas: { [name]: schema, RequestId: { type: 'string' } } },
});
const withProperties = (properties: object): SchemaObject => ({
  ...right,
  properties: { ...right.properties, ...properties },
});

/** A case of an error family, as the catalogue has it. */
const failing = {
  ...withProperties({ error: { const: 'DoorError' }, case: { const: 'stuck' }, location: { type: 'object' } }),
  'x-problem': { 'raised-by': 'service', 'exit-code': 3, message: 'Door {door} is stuck[ since {since}].' },
};

test('An entry is read with its members, statuses and headers', () => {
  expect(readProblems(catalogueOf(right))).toEqual([
    {
      schemaName: 'DoorStuckProblem',
      slug: 'door-stuck',
      title: 'Door stuck',
      description: 'The door is stuck. Push.',
      statuses: [409],
      message: null,
      members: [
        { name: 'door', required: true, form: true },
        { name: 'since', required: false, form: true },
      ],
      raisedBy: 'service',
      headers: { Warning: 'stuck' },
      failure: null,
    },
  ]);
});

test('A case may have several statuses and a fixed message', () => {
  const schema = withProperties({ status: { enum: [408, 504] }, message: { const: 'Push.' } });
  expect(readProblems(catalogueOf(schema))).toMatchObject([{ statuses: [408, 504], message: 'Push.' }]);
});

test.each([
  ['another type', withProperties({ type: { const: '/problems/door' } }), 'type must be /problems/door-stuck'],
  ['no constant title', withProperties({ title: { type: 'string' } }), 'title must be a const'],
  ['a status of any number', withProperties({ status: { type: 'integer' } }), 'status must be a const or an enum'],
  ['no request_id', withProperties({ request_id: undefined }), 'request_id is missing or not required'],
  ['a shared member that is not required', { ...right, required: ['type'] }, 'title is missing or not required'],
  ['no list of what is required', { ...right, required: undefined }, 'required is not a list'],
  ['no description', { ...right, description: undefined }, 'description is missing'],
  ['no x-problem', { ...right, 'x-problem': undefined }, 'x-problem is not an object'],
  ['an unknown raised-by', { ...right, 'x-problem': { 'raised-by': 'nobody' } }, 'x-problem.raised-by'],
  [
    'a status that is never sent',
    { ...right, 'x-problem': { 'raised-by': 'command-line' } },
    'status is only for replies, and this problem is raised by a command line',
  ],
  [
    'a case that is not a constant',
    withProperties({ error: { const: 'DoorError' }, case: {} }),
    'error and case must be a const',
  ],
  [
    'a case without a message',
    withProperties({ error: { const: 'DoorError' }, case: { const: 'stuck' } }),
    'x-problem.message is missing',
  ],
  [
    'a case without an exit code',
    { ...failing, 'x-problem': { 'raised-by': 'service', message: 'Stuck.' } },
    'x-problem.exit-code is missing',
  ],
  [
    'a message of a field that there is not',
    { ...failing, 'x-problem': { 'raised-by': 'service', 'exit-code': 1, message: '{window}' } },
    'x-problem.message names {window}, which is not a field',
  ],
  ['no properties', { ...right, properties: undefined }, 'properties is not an object'],
])('An entry with %s is an error that names it', (_name, schema, says) => {
  const read = (): unknown => readProblems(catalogueOf(record(JSON.parse(JSON.stringify(schema)))));
  expect(read).toThrow(`problems.yaml, DoorStuckProblem: ${says}`);
});

test('A case of an error family has its fields, its message and its exit code', () => {
  const [problem] = readProblems(catalogueOf(failing));
  expect(problem?.failure).toEqual({
    error: 'DoorError',
    case: 'stuck',
    exitCode: 3,
    message: 'Door {door} is stuck[ since {since}].',
    fields: [
      { name: 'door', schema: { type: 'string' } },
      { name: 'since', schema: { type: 'string' } },
    ],
  });
  expect(problem?.members.find(({ name }) => name === 'error')).toEqual({
    name: 'error',
    required: false,
    form: true,
    constant: 'DoorError',
  });
});

test('A message from another program is a field', () => {
  const schema = { ...failing, 'x-problem': { 'raised-by': 'service', 'exit-code': 1, message: '{message}' } };
  const fields = readProblems(catalogueOf(schema))[0]?.failure?.fields.map(({ name }) => name);
  expect(fields).toEqual(['message', 'door', 'since']);
});

test('An error of the command line alone has no status, and is never a reply', () => {
  const { status: _status, request_id: _id, ...properties } = right.properties;
  const schema = {
    ...right,
    'x-problem': { 'raised-by': 'command-line' },
    required: ['type', 'title', 'message'],
    properties,
  };
  const problems = readProblems(catalogueOf(schema));
  expect(problems).toMatchObject([{ statuses: [], raisedBy: 'command-line' }]);
  expect(emitProblems(problems)).not.toContain('export function');
});

test('Initials in a name become one word of the slug', () => {
  const schema = withProperties({ type: { const: '/problems/api-key-not-a-member' } });
  expect(readProblems(catalogueOf(schema, 'APIKeyNotAMemberProblem'))).toMatchObject([
    { slug: 'api-key-not-a-member' },
  ]);
});

test('The catalogue in openapi/ is valid, and every entry has a constructor', async () => {
  const problems = readProblems(await bundleProblems('openapi/problems.yaml'));
  const constructors = (emitPipelineProblems(problems) + emitProblems(problems)).match(/^export function \w+/gm);
  const sent = problems.filter(({ raisedBy }) => raisedBy !== 'command-line');
  expect(new Set(constructors).size).toBe(sent.length);
  expect(new Set(problems.map(({ slug }) => slug)).size).toBe(problems.length);
});

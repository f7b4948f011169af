import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readErrorForm, withErrorForms } from '../../src/codegen/derive/error-forms.js';
import type { OpenApiDocument } from '../../src/codegen/read/openapi-document.js';
import { scimErrorOf } from '../../src/contract/scim-error.js';

const value = {
  type: '/problems/thing-exists',
  status: 409,
  message: 'It exists.',
  request_id: 'r',
  scim_type: 'uniqueness',
};

function documentWith(form: object, schemas: object = { ScimError: { type: 'object' } }): OpenApiDocument {
  const problem = { schema: { $ref: '#/components/schemas/ThingExistsProblem' }, examples: { exists: { value } } };
  const responses = {
    '201': { description: 'Done.' },
    '409': { description: 'It exists.', content: { 'application/problem+json': problem } },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: { '/things': { post: { operationId: 'addThing', summary: 'Add', responses, ...form } } },
    components: { schemas: { ...schemas } },
  };
}

test('The errors of an operation with a form are presented in it, and its successes stay as they are', () => {
  const { paths } = withErrorForms(documentWith({ 'x-error-form': 'scim' }));
  expect(paths?.['/things']?.post?.responses).toEqual({
    '201': { description: 'Done.' },
    '409': {
      description: 'It exists.',
      'x-problems': { $ref: '#/components/schemas/ThingExistsProblem' },
      content: {
        'application/scim+json': {
          schema: { $ref: '#/components/schemas/ScimError' },
          examples: { exists: { value: scimErrorOf(value) } },
        },
      },
    },
  });
});

test('Operations without a form keep their problems', () => {
  const document = documentWith({});
  expect(withErrorForms(document)).toEqual(document);
});

test('A form that does not exist, and one without its schema, are refused', () => {
  const wrong = { operationId: 'addThing', summary: 'Add', responses: {}, 'x-error-form': 'soap' };
  expect(() => readErrorForm(wrong)).toThrow('x-error-form: "soap" is not supported');
  expect(() => withErrorForms(documentWith({ 'x-error-form': 'scim' }, {}))).toThrow('there is no schema ScimError');
});

test('The examples of the contract are what the server writes', () => {
  const contract: OpenApiDocument = JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8'));
  const conflict = contract.paths?.['/scim/v2/Users']?.post?.responses['409'];
  expect(JSON.stringify(conflict)).toContain('"status":"409","scimType":"uniqueness"');
});

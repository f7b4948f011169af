import { describe, expect, test } from 'vitest';
import { withClientHints } from '../../src/codegen/derive/client-hints.js';
import type { OpenApiDocument, SchemaObject } from '../../src/codegen/read/openapi-document.js';
import { schemaFaults } from '../../src/codegen/check/schema-rules.js';

function documentOf(schemas: Readonly<Record<string, SchemaObject>>, more: object = {}): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'Shapes', version: '1' },
    paths: { '/login': { post: { operationId: 'login', summary: 'Log in', responses: {} } } },
    components: { schemas, ...more },
  };
}

const shape = (kind: SchemaObject): SchemaObject => ({
  type: 'object',
  required: ['same', 'kind'],
  properties: { same: { const: 'same' }, kind },
  additionalProperties: false,
});
const circle = shape({ type: 'string', const: 'circle' });
const square = shape({ type: 'string', const: 'square' });
const either = { oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }] };

describe('A oneOf', () => {
  test('has the discriminator that follows from its branches, and passes the rules of contracts', () => {
    const hinted = withClientHints(documentOf({ Circle: circle, Square: square, Either: either }));
    expect(hinted.components?.schemas?.['Either']).toEqual({
      ...either,
      discriminator: {
        propertyName: 'kind',
        mapping: { circle: '#/components/schemas/Circle', square: '#/components/schemas/Square' },
      },
    });
    expect(schemaFaults(hinted)).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, SchemaObject>>]>([
    ['one value for two branches', { Circle: circle, Square: circle, Either: either }],
    ['a branch without a constant', { Circle: circle, Square: shape({ type: 'string' }), Either: either }],
    ['a branch in place', { Circle: circle, Square: square, Either: { oneOf: [...either.oneOf, { type: 'null' }] } }],
  ])('has none with %s', (_what, schemas) => {
    const document = documentOf(schemas);
    expect(withClientHints(document)).toEqual(document);
  });
});

describe('A schema gets a name for Go', () => {
  test('when a reply or a security scheme has its own', () => {
    const schemas = { LoginResponse: circle, MachineKey: square, Other: circle };
    const hinted = withClientHints(documentOf(schemas, { securitySchemes: { machineKey: {} } }));
    expect(hinted.components?.schemas).toEqual({
      LoginResponse: { ...circle, 'x-go-name': 'LoginResult' },
      MachineKey: { ...square, 'x-ogen-name': 'MachineKeyDetails' },
      Other: circle,
    });
  });

  test('that no other schema may have', () => {
    const document = documentOf({ LoginResponse: circle, LoginResult: square });
    expect(() => withClientHints(document)).toThrow('The schemas LoginResponse and LoginResult have one name in Go');
  });
});

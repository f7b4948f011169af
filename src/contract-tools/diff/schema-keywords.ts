import { entries, record } from '../documents.js';

/** Keywords that only say something. Differences in them are neutral. */
export const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  'deprecated',
  '$comment',
  '$id',
  '$anchor',
]);

/** Lower limits: a higher one narrows. The value is what holds without the keyword. */
export const lowerLimits: ReadonlyMap<string, number> = new Map([
  ['minimum', -Infinity],
  ['exclusiveMinimum', -Infinity],
  ['minLength', 0],
  ['minItems', 0],
  ['minProperties', 0],
  ['minContains', 1],
]);

/** Upper limits: a lower one narrows. */
export const upperLimits: ReadonlySet<string> = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
]);

/** Keywords that narrow where they stand, and whose values cannot be compared. */
export const restrictions: ReadonlySet<string> = new Set([
  'pattern',
  'format',
  'multipleOf',
  'contentEncoding',
  'contentMediaType',
  'not',
]);

/** Keywords with one schema that narrows where it stands. */
export const subschemas: ReadonlySet<string> = new Set(['items', 'propertyNames', 'contains']);

/** Keywords that `compareSchemas` compares by functions written for them. */
export const structural: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'oneOf',
  'anyOf',
  'allOf',
  'prefixItems',
  'uniqueItems',
  'readOnly',
  'writeOnly',
  'default',
]);

const allTypes = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'];

/** The types of a schema, `number` as `integer` and `fraction`; all where it names none. */
export function typesOf(schema: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const named = schema['type'];
  if (named === undefined) return new Set(allTypes);
  const list = [named].flat().map(String);
  return new Set(list.flatMap((type) => (type === 'number' ? ['integer', 'fraction'] : [type])));
}

/**
 * Rewrites what OpenAPI 3.0 and 3.1 write in different ways to one form: booleans as schemas, `nullable`, boolean
 * exclusive limits, `const`.
 */
export function normalized(schema: unknown): Readonly<Record<string, unknown>> {
  if (schema === false) return { not: {} };
  const { nullable, const: constant, ...rest } = record(schema);
  const result: Record<string, unknown> = { ...rest };
  if (nullable === true && rest['type'] !== undefined) result['type'] = [rest['type'], 'null'].flat();
  if (nullable === true && Array.isArray(rest['enum']) && !rest['enum'].includes(null)) {
    result['enum'] = [...entries(rest['enum']), null];
  }
  if (constant !== undefined) result['enum'] = [constant];
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof rest[exclusive] !== 'boolean') continue;
    Reflect.deleteProperty(result, exclusive);
    if (!rest[exclusive]) continue;
    result[exclusive] = rest[limit];
    Reflect.deleteProperty(result, limit);
  }
  return result;
}

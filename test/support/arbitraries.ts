import fc, { type Arbitrary } from 'fast-check';
import { record } from '../../src/contract-tools/documents.js';
import { entriesAt, follow, type Pointer } from '../../src/contract-tools/gate/pointers.js';

export interface SchemaArbitraryOptions {
  /** Ids that exist, mixed with others wherever a UUID is asked for. */
  readonly knownIds: readonly string[];
}

/**
 * Values that a JSON Schema of an OpenAPI document allows. It knows the keywords that our contracts use.
 *
 * @throws Error naming a keyword or format that it does not know, so that a new one is not passed over
 */
export function validAgainst(document: unknown, place: Pointer, options: SchemaArbitraryOptions): Arbitrary<unknown> {
  const { value, pointer } = follow(document, place);
  const schema = record(value);
  const unknown = Object.keys(schema).filter((keyword) => !knownKeywords.has(keyword));
  if (unknown.length > 0) throw new Error(`${pointer.join('/')} has ${unknown.join(', ')}, which no arbitrary knows`);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...(schema['enum'] as unknown[]));
  const branches = schema['oneOf'];
  if (Array.isArray(branches)) {
    return fc.oneof(
      ...branches.map((_, index) => validAgainst(document, [...pointer, 'oneOf', String(index)], options)),
    );
  }
  // Without a type, every JSON value is valid, and an object with the properties is the usual one.
  if (!('type' in schema))
    return fc.oneof(fc.jsonValue({ maxDepth: 1 }), ofType('object', schema, document, pointer, options));
  const types = [schema['type']].flat().map(String);
  return fc.oneof(...types.map((type) => ofType(type, schema, document, pointer, options)));
}

const knownKeywords = new Set(
  [
    ['type', 'const', 'enum', 'oneOf', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'],
    ['items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'additionalProperties', 'minProperties'],
    ['description', 'default', 'example', 'examples', 'title', 'x-normalize'],
    ['discriminator', 'x-any', 'x-go-name', 'x-ogen-name', 'x-assigned-by', 'x-standard'],
  ].flat(),
);

function ofType(
  type: string,
  schema: Readonly<Record<string, unknown>>,
  document: unknown,
  pointer: Pointer,
  options: SchemaArbitraryOptions,
): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Number(schema['minimum'] ?? -1000), max: Number(schema['maximum'] ?? 1000) });
    case 'number':
      return fc.double({
        ...{ min: Number(schema['minimum'] ?? -1000), max: Number(schema['maximum'] ?? 1000) },
        ...{ noNaN: true, noDefaultInfinity: true },
      });
    case 'string':
      return text(schema, options);
    case 'array': {
      const size = {
        minLength: Number(schema['minItems'] ?? 0),
        maxLength: Math.min(Number(schema['maxItems'] ?? 5), 5),
      };
      const item =
        'items' in schema ? validAgainst(document, [...pointer, 'items'], options) : fc.jsonValue({ maxDepth: 1 });
      return schema['uniqueItems'] === true ? fc.uniqueArray(item, size) : fc.array(item, size);
    }
    case 'object': {
      const properties = entriesAt(document, [...pointer, 'properties']);
      const model = Object.fromEntries(
        properties.map(([name, place]) => [name, validAgainst(document, place, options)]),
      );
      const requiredKeys = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
      const atLeast = Number(schema['minProperties'] ?? 0);
      return fc.record(model, { requiredKeys }).filter((value) => Object.keys(value).length >= atLeast);
    }
    default:
      throw new Error(`${pointer.join('/')} has the type ${type}, which no arbitrary knows`);
  }
}

function text(schema: Readonly<Record<string, unknown>>, { knownIds }: SchemaArbitraryOptions): Arbitrary<string> {
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Math.min(Number(schema['maxLength'] ?? 200), 200);
  const { format, pattern } = schema;
  const whole = withFormat(format, { minLength, maxLength }, knownIds);
  if (typeof pattern !== 'string') return whole;
  const wanted = new RegExp(pattern, 'u');
  // A pattern beside a format narrows it; one without describes the text.
  const matching = format === undefined ? fc.oneof(whole, fc.stringMatching(wanted, { maxLength })) : whole;
  return matching.filter(
    (each) => wanted.test(each) && codePointsIn(each) >= minLength && codePointsIn(each) <= maxLength,
  );
}

const moments = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') });

function withFormat(
  format: unknown,
  size: { minLength: number; maxLength: number },
  knownIds: readonly string[],
): Arbitrary<string> {
  switch (format) {
    case undefined:
    case 'password':
      return fc.oneof(fc.string({ unit: 'grapheme', ...size }), fc.string({ unit: 'binary', ...size })).filter(
        // U+0000 is in no schema, but no database can hold it; a separate test proves that it is refused.
        (each) => !each.includes('\0') && codePointsIn(each) >= size.minLength && codePointsIn(each) <= size.maxLength,
      );
    case 'uuid':
      return knownIds.length === 0 ? fc.uuid() : fc.oneof(fc.uuid(), fc.constantFrom(...knownIds));
    case 'email':
      return fc.emailAddress().filter((each) => each.length <= size.maxLength);
    case 'uri':
      return fc.webUrl();
    case 'date-time':
      return moments.map((date) => date.toISOString());
    case 'date':
      return moments.map((date) => date.toISOString().slice(0, 10));
    default:
      throw new Error(`The format ${String(format)} is known to no arbitrary`);
  }
}

/** JSON Schema counts characters by code point. */
function codePointsIn(text: string): number {
  return Array.from(text).length;
}

/** JSON values that code which trusts its input trips over. */
export const hostile: Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    [],
    {},
    -1,
    0.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 1,
    '\0',
    '\ud800',
    '\u202e',
    "'; drop table users; --",
    '%00',
    '../../etc/passwd',
    '{{7*7}}',
    '<script>alert(1)</script>',
    'x'.repeat(10_000),
    JSON.parse('{"__proto__":{"is_superuser":true}}'),
    { constructor: { prototype: { is_superuser: true } } },
    { toString: 1, valueOf: 1, hasOwnProperty: 1, length: -1 },
  ),
);

/** A value of `valid` with one thing wrong: another root, a property more, less or of another kind. */
export function spoiled(valid: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.oneof(
    hostile,
    fc.tuple(valid, fc.nat(), hostile).map(([value, at, wrong]) => {
      const names = Object.keys(record(value));
      return { ...record(value), [names[at % Math.max(1, names.length)] ?? 'x']: wrong };
    }),
    fc.tuple(valid, fc.string(), hostile).map(([value, name, extra]) => ({ ...record(value), [name]: extra })),
    fc.tuple(valid, fc.nat()).map(([value, at]) => {
      const names = Object.keys(record(value));
      return Object.fromEntries(Object.entries(record(value)).filter(([name]) => name !== names[at % names.length]));
    }),
  );
}

import { isDeepStrictEqual } from 'node:util';
import { derivedDiscriminator } from '../derive/client-hints.js';
import { refusalOf } from './contract-keywords.js';
import { isRecord, resolve, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';
import { acceptsAnything, schemasOf, statedTypes } from './schema-places.js';

/** One of these says what a schema accepts. */
const kinds = ['type', 'const', 'enum', 'oneOf', '$ref'];

/** What describes an object. Without `type: object`, a schema with them accepts every other value. */
const objectKeywords = ['properties', 'required', 'additionalProperties', 'propertyNames'];

/**
 * Lists what breaks the rules for all schemas in `openapi/README.md`: a schema says what it accepts, and objects and
 * lists say what is in them, since an open schema would allow replies with undocumented properties. Alternatives are a
 * `oneOf` whose branches no value has in common.
 *
 * @returns one line per fault with the JSON Pointer of the schema
 */
export function schemaFaults(document: OpenApiDocument): string[] {
  return schemasOf(document).flatMap(({ schema, pointer }) =>
    [...openings(schema), ...refusals(document, schema)].map((fault) => `${pointer}: ${fault}`),
  );
}

/** How a schema accepts more than it documents. */
function openings(schema: SchemaObject): string[] {
  if (acceptsAnything(schema)) return [];
  const faults: string[] = [];
  const types = statedTypes(schema);
  const { additionalProperties: others, items } = schema;
  if (types.includes('object')) {
    if (others === undefined || others === true)
      faults.push('an object schema needs additionalProperties: false, or the schema of its values');
  } else if (objectKeywords.some((keyword) => keyword in schema)) faults.push('an object schema needs type: object');
  if (types.includes('array') && items === undefined) faults.push('a list needs the schema of its items');
  if (!kinds.some((keyword) => keyword in schema)) faults.push(`a schema needs one of ${kinds.join(', ')}`);
  return faults;
}

function refusals(document: OpenApiDocument, schema: SchemaObject): string[] {
  const { discriminator, oneOf } = schema;
  const faults = Object.keys(schema).flatMap((keyword) => {
    const reason = keyword === 'discriminator' || keyword.startsWith('x-') ? null : refusalOf('Schema', keyword);
    return reason === null ? [] : [`no ${keyword}; ${reason}`];
  });
  if (discriminator !== undefined && !isDeepStrictEqual(discriminator, derivedDiscriminator(document, oneOf)))
    faults.push('no discriminator; use a const property to distinguish branches');
  const branches = alternativesOf(document, schema);
  if (branches.some((branch, index) => branches.slice(0, index).some((other) => !areDistinct(branch, other))))
    faults.push('the branches of a oneOf differ neither in a required const property nor in their required keys');
  return faults;
}

/** The branches of a `oneOf`, with those of nested ones in their place; otherwise the schema. */
function alternativesOf(document: OpenApiDocument, given: unknown, parents: readonly unknown[] = []): SchemaObject[] {
  if (!isRecord(given)) return [];
  const schema = resolve<SchemaObject>(document, given);
  const { oneOf } = schema;
  if (!Array.isArray(oneOf) || parents.includes(schema)) return [schema];
  return oneOf.flatMap((branch) => alternativesOf(document, branch, [...parents, schema]));
}

/** Whether no value fulfils both schemas. */
function areDistinct(one: SchemaObject, other: SchemaObject): boolean {
  const shared = typesOf(one).filter((type) => typesOf(other).includes(type));
  if (shared.length === 0 || haveNoSharedValue(one, other)) return true;
  if (shared.some((type) => type !== 'object')) return false;
  const [first, second] = [propertiesOf(one), propertiesOf(other)];
  const common = requiredOf(one).filter((name) => requiredOf(other).includes(name));
  return (
    common.some((name) => haveNoSharedConstant(first[name], second[name])) ||
    // Objects are closed: what one branch requires, the other one refuses.
    requiredOf(one).some((name) => !(name in second)) ||
    requiredOf(other).some((name) => !(name in first))
  );
}

function haveNoSharedConstant(one: unknown, other: unknown): boolean {
  return isRecord(one) && isRecord(other) && 'const' in one && 'const' in other && one['const'] !== other['const'];
}

function haveNoSharedValue(one: SchemaObject, other: SchemaObject): boolean {
  const [values, others] = [valuesOf(one), valuesOf(other)];
  return values !== null && others !== null && !values.some((value) => others.includes(value));
}

/** The only values that a schema accepts; null: it names none. */
function valuesOf(schema: SchemaObject): readonly unknown[] | null {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

/** The types of JSON values that a schema accepts. Every integer is a number. */
function typesOf(schema: SchemaObject): string[] {
  const stated = statedTypes(schema).map((type) => (type === 'integer' ? 'number' : type));
  if (stated.length > 0) return stated;
  return (valuesOf(schema) ?? []).map((value) => (value === null ? 'null' : typeof value));
}

function propertiesOf({ properties }: SchemaObject): SchemaObject {
  return isRecord(properties) ? properties : {};
}

function requiredOf({ required }: SchemaObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

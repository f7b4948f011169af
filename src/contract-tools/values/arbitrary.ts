import fc from 'fast-check';
import { entries, record, resolve } from '../documents.js';
import { patternOf } from '../pattern.js';

/** How values are made. */
export interface Making {
  /** The document that the references of the schema point into. */
  readonly document: unknown;
  /** The texts where a schema asks for nothing in particular. */
  readonly texts: 'words' | 'any characters';
  /** Properties with this keyword are omitted: `readOnly` in requests, `writeOnly` in replies. */
  readonly omitted: 'readOnly' | 'writeOnly';
  /** Whether some of what no schema requires is made, or none of it. */
  readonly optional: 'some' | 'none';
  /** What was made for each schema, by depth: schemas that refer to each other would be made again and again. */
  readonly made: WeakMap<object, Map<number, fc.Arbitrary<unknown>>>;
}

export type Schema = Readonly<Record<string, unknown>>;
export type Values = fc.Arbitrary<unknown>;

/** Below this depth, what is optional is omitted, so that recursive schemas end. */
const deepest = 4;
/** Below this depth, nothing is made: the schema requires itself. */
const bottom = 12;

/**
 * Values for a schema of JSON Schema 2020-12. Most are valid, and callers check each: `not`, `if`, `patternProperties`
 * and the like are not followed.
 */
export function valuesOf(making: Making, schema: unknown, depth = 0): Values {
  const resolved = resolve(making.document, schema);
  if (depth > bottom || resolved === false) return fc.constant(null);
  if (typeof resolved !== 'object' || resolved === null) return valuesOfSchema(making, {}, depth);
  const known = making.made.get(resolved) ?? new Map<number, Values>();
  making.made.set(resolved, known);
  const values = known.get(depth) ?? valuesOfSchema(making, record(resolved), depth);
  known.set(depth, values);
  return values;
}

function valuesOfSchema(making: Making, schema: Schema, depth: number): Values {
  const found = merged(making.document, schema);
  if ('const' in found) return fc.constant(found['const']);
  if (Array.isArray(found['enum']) && found['enum'].length > 0) return fc.constantFrom(...entries(found['enum']));
  const branches = branchesOf(found);
  if (branches.length > 0) return fc.oneof(...branches.map((branch) => valuesOf(making, branch, depth + 1)));
  const types = typesOf(found).map((type) => valuesOfType(making, found, type, depth));
  const [only] = types;
  return types.length === 1 && only !== undefined ? only : fc.oneof(...types);
}

/** The alternatives of a schema, each with what all have in common; empty where it has none. */
export function branchesOf(schema: Schema): Schema[] {
  const keyword = ['oneOf', 'anyOf'].find((each) => entries(schema[each]).length > 0);
  if (keyword === undefined) return [];
  const { [keyword]: branches, ...rest } = schema;
  return entries(branches).map((branch) => ({ ...rest, allOf: [branch] }));
}

/** A schema with those of its `allOf` put into it. */
export function merged(document: unknown, schema: Schema): Schema {
  const { allOf, ...rest } = schema;
  return entries(allOf)
    .map((each) => merged(document, record(resolve(document, each))))
    .reduce(
      (one, other) => ({
        ...one,
        ...other,
        ...(one['properties'] === undefined && other['properties'] === undefined
          ? {}
          : { properties: { ...record(one['properties']), ...record(other['properties']) } }),
        ...(one['required'] === undefined && other['required'] === undefined
          ? {}
          : { required: [...new Set([...entries(one['required']), ...entries(other['required'])])] }),
      }),
      rest,
    );
}

/** The types that a schema names, or that its keywords are about; where it has neither, some. */
function typesOf(schema: Schema): string[] {
  const types = namedTypes(schema);
  return types.length > 0 ? types : ['string', 'integer', 'boolean'];
}

/** The types that a schema names, or that its keywords are about. */
export function namedTypes(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return entries(type).map(String);
  const about = [
    ['object', ['properties', 'required', 'additionalProperties', 'minProperties']],
    ['array', ['items', 'prefixItems', 'minItems']],
    ['string', ['pattern', 'format', 'minLength', 'maxLength']],
    ['number', ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']],
  ] as const;
  return about.flatMap(([name, keywords]) => (keywords.some((each) => each in schema) ? [name] : []));
}

function valuesOfType(making: Making, schema: Schema, type: string, depth: number): Values {
  switch (type) {
    case 'object':
      return objects(making, schema, depth);
    case 'array':
      return arrays(making, schema, depth);
    case 'string':
      return strings(making, schema);
    case 'integer':
      return integers(schema);
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constant(null);
  }
}

function objects(making: Making, schema: Schema, depth: number): Values {
  const properties = propertiesOf(making, schema);
  const required = new Set(entries(schema['required']));
  const { additionalProperties, minProperties } = schema;
  const least = numberAt(minProperties) ?? 0;
  const hasOptional = depth < deepest && (making.optional === 'some' || least > required.size);
  const kept = properties.filter(([name]) => required.has(name) || hasOptional);
  const described = new Set(Object.keys(record(schema['properties'])));
  for (const name of additionalProperties === false ? [] : required) {
    if (!described.has(String(name))) kept.push([String(name), additionalProperties ?? {}]);
  }
  const documented = fc.record(
    Object.fromEntries(kept.map(([name, each]) => [name, valuesOf(making, each, depth + 1)])),
    { requiredKeys: kept.map(([name]) => name).filter((name) => required.has(name)), noNullPrototype: true },
  );
  if (typeof additionalProperties !== 'object' && least <= required.size) return documented;
  if (additionalProperties === false || (depth >= deepest && least === 0)) return documented;
  const anyName = least > 5 ? fc.tuple(words(), fc.nat()).map((parts) => parts.join('')) : words();
  const names = 'propertyNames' in schema ? valuesOf(making, schema['propertyNames'], depth + 1).map(String) : anyName;
  const extra = fc.dictionary(names, valuesOf(making, additionalProperties, depth + 1), {
    minKeys: Math.max(0, least - required.size),
    maxKeys: Math.max(making.optional === 'some' ? 2 : 0, least),
    noNullPrototype: true,
  });
  return fc.tuple(extra, documented).map(([one, other]) => ({ ...one, ...record(other) }));
}

/** The properties that a schema describes, apart from those that are omitted. */
export function propertiesOf(making: Making, schema: Schema): [string, unknown][] {
  return Object.entries(record(schema['properties'])).filter(
    ([, each]) => record(resolve(making.document, each))[making.omitted] !== true,
  );
}

function arrays(making: Making, schema: Schema, depth: number): Values {
  const { items, prefixItems, uniqueItems } = schema;
  if (Array.isArray(prefixItems)) {
    return fc.tuple(...entries(prefixItems).map((each) => valuesOf(making, each, depth + 1)));
  }
  const minLength = numberAt(schema['minItems']) ?? 0;
  const more = making.optional === 'some' && depth < deepest ? 3 : 0;
  const maxLength = Math.min(numberAt(schema['maxItems']) ?? Infinity, minLength + more);
  if (maxLength === 0) return fc.constant([]);
  const each = valuesOf(making, items ?? {}, depth + 1);
  const lengths = { minLength, maxLength };
  return uniqueItems === true
    ? fc.uniqueArray(each, { ...lengths, selector: (item) => JSON.stringify(item) })
    : fc.array(each, lengths);
}

function strings(making: Making, schema: Schema): Values {
  const { pattern, format } = schema;
  const minLength = numberAt(schema['minLength']) ?? 0;
  const maxLength = numberAt(schema['maxLength']);
  const ofFormat = typeof format === 'string' ? formats[format] : undefined;
  if (ofFormat !== undefined) return ofFormat();
  const matching = typeof pattern === 'string' ? stringsMatching(pattern) : null;
  if (matching !== null) return matching;
  if (making.texts === 'words') {
    return words().map((word) => word.padEnd(minLength, 'a').slice(0, maxLength ?? undefined));
  }
  const longest = Math.max(minLength, Math.min(maxLength ?? Infinity, minLength + 40));
  return fc.oneof(
    { weight: 2, arbitrary: fc.string({ minLength, maxLength: longest }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength, maxLength: longest }) },
  );
}

function stringsMatching(pattern: string): Values | null {
  const expression = patternOf(pattern);
  if (expression === null) return null;
  try {
    return fc.stringMatching(expression);
  } catch {
    // Look-arounds and the like, which fast-check does not generate.
    return null;
  }
}

function words(): fc.Arbitrary<string> {
  return fc.constantFrom('amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath', 'islet', 'jetty');
}

const formats: Readonly<Record<string, () => Values>> = {
  'date-time': () => instants().map((date) => date.toISOString()),
  date: () => instants().map((date) => date.toISOString().slice(0, 10)),
  time: () => instants().map((date) => date.toISOString().slice(11)),
  duration: () => fc.integer({ min: 1, max: 100 }).map((days) => `P${days}D`),
  uuid: () => fc.uuid(),
  email: () => fc.tuple(words(), words()).map(([user, domain]) => `${user}@${domain}.example`),
  hostname: () => words().map((name) => `${name}.example`),
  uri: () => words().map((path) => `https://www.example.com/${path}`),
  url: () => words().map((path) => `https://www.example.com/${path}`),
  'uri-reference': () => words().map((path) => `/${path}`),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  byte: () => fc.base64String(),
};

function instants(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true });
}

function integers(schema: Schema): Values {
  const step = numberAt(schema['multipleOf']) ?? 1;
  const size = schema['format'] === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const [low, high] = range(schema, Math.max(1, step));
  const min = Math.ceil(Math.max(low, -size) / step);
  const max = Math.floor(Math.min(high, size) / step);
  return min <= max ? fc.integer({ min, max }).map((count) => count * step) : fc.constant(min * step);
}

function numbers(schema: Schema): Values {
  if (numberAt(schema['multipleOf']) !== undefined) return integers(schema);
  const [low, high] = range(schema, 0);
  const min = Math.max(low, -1e9);
  const max = Math.max(min, Math.min(high, 1e9));
  const plain = Math.ceil(min) <= Math.floor(max) ? [fc.integer({ min: Math.ceil(min), max: Math.floor(max) })] : [];
  return fc.oneof(...plain, fc.double({ min, max, noNaN: true }));
}

/** The limits of a number; `step` beyond exclusive ones. */
export function range(schema: Schema, step: number): [number, number] {
  const low = Math.max(
    numberAt(schema['minimum']) ?? -Infinity,
    (numberAt(schema['exclusiveMinimum']) ?? -Infinity) + step,
  );
  const high = Math.min(
    numberAt(schema['maximum']) ?? Infinity,
    (numberAt(schema['exclusiveMaximum']) ?? Infinity) - step,
  );
  return [low, high];
}

/** Whether texts are made by the format that a schema names. */
export function isOfFormat({ format }: Schema): boolean {
  return typeof format === 'string' && formats[format] !== undefined;
}

export function numberAt(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

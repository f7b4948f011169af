/** Finds the schemas of a document: a name such as `example` is a keyword in one place and a property in another. */
import { escapeSegment, isRecord, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';

/** A schema and where it stands. */
export interface PlacedSchema {
  readonly schema: SchemaObject;
  /** The JSON Pointer of the schema, as a URI fragment. */
  readonly pointer: string;
}

/** Keywords whose value is a schema. Those of JSON Schema that `schema-rules.ts` refuses are visited as well. */
const single = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains'];
/** Keywords whose value is a list of schemas. */
const lists = ['oneOf', 'allOf', 'anyOf', 'prefixItems'];
/** Keywords whose value is a map of schemas. */
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** Values that are data, not parts of the contract. */
const data = ['example', 'examples', 'value'];

/**
 * Lists all schemas of a document, the inner ones included: components, and those of parameters, headers, bodies,
 * replies, webhooks and principals. A reference is one schema; its target is listed where it stands.
 */
export function schemasOf(document: OpenApiDocument): PlacedSchema[] {
  return outside(document, '#');
}

/** The types in the keyword `type` of a schema. */
export function statedTypes({ type }: SchemaObject): string[] {
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string');
}

/** Whether a schema accepts every JSON value on purpose (`x-any`). Only requests have such schemas. */
export function acceptsAnything(schema: SchemaObject): boolean {
  return schema['x-any'] === true;
}

/** Whether another standard defines a schema, with the names and the optional properties in it (`x-standard`). */
export function isOfStandard(schema: SchemaObject): boolean {
  return typeof schema['x-standard'] === 'string';
}

/** The schemas within a value that is not a schema. */
function outside(value: unknown, pointer: string): PlacedSchema[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const place = `${pointer}/${escapeSegment(key)}`;
    if (data.includes(key)) return [];
    if (key === 'schema') return within(child, place);
    return place === '#/components/schemas' ? withinMap(child, place) : outside(child, place);
  });
}

/** A schema and those within it. */
function within(schema: unknown, pointer: string): PlacedSchema[] {
  // `true` is short for a schema that accepts everything, except where the rule for objects knows it.
  if (schema === true && !pointer.endsWith('/additionalProperties')) return [{ schema: {}, pointer }];
  if (!isRecord(schema)) return [];
  return [
    { schema, pointer },
    ...single.flatMap((keyword) => within(schema[keyword], `${pointer}/${keyword}`)),
    ...[...lists, ...maps].flatMap((keyword) => withinMap(schema[keyword], `${pointer}/${keyword}`)),
  ];
}

/** The schemas of a map by name, or of a list by index. */
function withinMap(schemas: unknown, pointer: string): PlacedSchema[] {
  if (typeof schemas !== 'object' || schemas === null) return [];
  return Object.entries(schemas).flatMap(([key, schema]: [string, unknown]) =>
    within(schema, `${pointer}/${escapeSegment(key)}`),
  );
}

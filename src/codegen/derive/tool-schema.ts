/** JSON Schemas of tools: without references, and without what is not JSON Schema. */
import {
  isRecord,
  isReference,
  lookUpReference,
  type OpenApiDocument,
  type SchemaObject,
} from '../read/openapi-document.js';

/** Keywords whose value is a schema by name, or a list of values: their keys are not keywords. */
const named = ['properties', 'patternProperties', '$defs'];
const literal = ['const', 'enum', 'default', 'required'];

/**
 * Copies a schema with its references replaced by what they refer to.
 *
 * @param describes whether descriptions are kept
 * @throws Error for a schema that contains itself
 */
export function inlineSchema(
  document: OpenApiDocument,
  schema: unknown,
  describes: boolean,
  above: readonly string[] = [],
): SchemaObject {
  if (!isRecord(schema)) throw new Error('a schema must be an object');
  if (isReference(schema)) {
    const { $ref, ...others } = schema;
    if (above.includes($ref)) throw new Error(`${$ref} contains itself, which a tool cannot`);
    const target = inlineSchema(document, lookUpReference(document, $ref), describes, [...above, $ref]);
    return { ...target, ...inlineSchema(document, others, describes, above) };
  }
  const inline = (value: unknown): unknown =>
    isRecord(value) ? inlineSchema(document, value, describes, above) : value;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword.startsWith('x-') || ['example', 'examples', 'discriminator', 'title'].includes(keyword)) return [];
    if (keyword === 'description' && !describes) return [];
    if (literal.includes(keyword)) return [[keyword, value]];
    if (named.includes(keyword) && isRecord(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inline(each)]))]];
    }
    return [[keyword, Array.isArray(value) ? value.map(inline) : inline(value)]];
  });
  return Object.fromEntries(members);
}

/** The schema of what a tool answers: a success, or one of its errors. */
export function answerSchema(success: SchemaObject | null, error: SchemaObject): SchemaObject {
  return { type: 'object', anyOf: [...(success === null ? [{ type: 'object', maxProperties: 0 }] : [success]), error] };
}

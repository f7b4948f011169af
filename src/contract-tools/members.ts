/**
 * What a place in a document holds: an object of OpenAPI or JSON Schema, or a map whose keys are names that the author
 * chose, such as `properties`.
 */
export type Place = 'object' | 'names';

/** Members whose keys are names. `parameters` and others are lists in other places, which changes nothing. */
const namesIn: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ...['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'securitySchemes', 'links'],
  ...['callbacks', 'pathItems', 'paths', 'webhooks', 'content', 'encoding', 'variables', 'mapping', 'scopes'],
]);

/** Members that hold values of the API, in which `$ref`, `$id` and `required` mean nothing. */
const valuesIn: ReadonlySet<string> = new Set(['example', 'value', 'default', 'const', 'enum', 'x-problem']);

/** A member that holds a value of the API. */
export function isValue(key: string, member: unknown, place: Place): boolean {
  if (place === 'names') return false;
  return valuesIn.has(key) || (key === 'examples' && Array.isArray(member)); // a list of values in a schema
}

/** The content of a member that is not a value. */
export function placeOf(key: string, place: Place): Place {
  return place === 'object' && namesIn.has(key) ? 'names' : 'object';
}

/**
 * Copies a value of a document, with the objects of OpenAPI and JSON Schema in it changed. Values of the API stay as they
 * are.
 *
 * @param change gets an object whose members have been changed
 */
export function mapObjects(
  value: unknown,
  change: (object: Readonly<Record<string, unknown>>) => unknown,
  place: Place = 'object',
): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      key,
      isValue(key, each, place) ? each : mapObjects(each, change, placeOf(key, place)),
    ]),
  );
  // A map can stand in another file; a name `$ref` would have an object.
  return place === 'names' && typeof inner['$ref'] !== 'string' ? inner : change(inner);
}

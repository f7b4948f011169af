/** The document, or a file that it refers to, cannot be used. The message names the place and what is wrong. */
export class DocumentError extends Error {
  override name = 'DocumentError';
}

/** The members of an object; none where the value is not an object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>) // an object that is not an array has string keys
    : {};
}

/** The entries of an array; none where the value is not an array. */
export function entries(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The methods of OpenAPI, as keys of a path item. */
export const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/**
 * Follows `$ref` within a document until something else is found. Members beside a `$ref` (OpenAPI 3.1) win.
 *
 * @throws DocumentError when a reference points outside of the document, to nothing, or to itself
 */
export function resolve(document: unknown, value: unknown): unknown {
  let found = value;
  for (let hops = 0; typeof record(found)['$ref'] === 'string'; hops += 1) {
    const { $ref: reference, ...beside } = record(found);
    if (hops > 32) throw new DocumentError(`The reference ${String(reference)} leads to itself.`);
    const target = lookUp(document, String(reference));
    found = Object.keys(beside).length === 0 ? target : { ...record(target), ...beside };
  }
  return found;
}

/**
 * The value at a reference such as `#/components/schemas/Thing`.
 *
 * @throws DocumentError when there is none
 */
export function lookUp(document: unknown, reference: string): unknown {
  if (reference === '#') return document;
  if (!reference.startsWith('#/'))
    throw new DocumentError(`The reference ${reference} is not a path, such as #/components/schemas/Thing.`);
  let found = document;
  for (const segment of reference.slice(2).split('/')) {
    const key = unescapeSegment(segment);
    found = Array.isArray(found) ? (found as unknown[])[Number(key)] : record(found)[key];
    if (found === undefined) throw new DocumentError(`The reference ${reference} points to nothing.`);
  }
  return found;
}

/** A segment of a reference, which is a pointer in the fragment of a URL. */
export function unescapeSegment(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}

import { DocumentError, record, unescapeSegment } from '../documents.js';

/** The way to a value in a document, segment by segment. */
export type Pointer = readonly string[];

/** The members of the object at a pointer, each with the pointer at which it really stands. */
export function entriesAt(document: unknown, pointer: Pointer): [string, Pointer][] {
  const { value, pointer: place } = follow(document, pointer);
  return Object.keys(record(value)).map((key) => [key, follow(document, [...place, key]).pointer]);
}

/** Walks to a pointer, following every `$ref` on the way and at its end. */
export function follow(document: unknown, pointer: Pointer): { value: unknown; pointer: Pointer } {
  return followFrom(document, pointer, 0);
}

function followFrom(document: unknown, pointer: Pointer, depth: number): { value: unknown; pointer: Pointer } {
  let value = document;
  let place: Pointer = [];
  for (const key of [...pointer, null]) {
    while (typeof record(value)['$ref'] === 'string') {
      const reference = String(record(value)['$ref']);
      if (!reference.startsWith('#/')) throw new DocumentError(`The reference ${reference} cannot be followed.`);
      if (depth > 32) throw new DocumentError(`The reference ${reference} leads to itself.`);
      const target = reference.slice(2).split('/').map(unescapeSegment);
      ({ value, pointer: place } = followFrom(document, target, depth + 1));
    }
    if (key === null) break;
    value = Array.isArray(value) ? value[Number(key)] : record(value)[key];
    place = [...place, key];
  }
  return { value, pointer: place };
}

/** A pointer as the fragment of a URL. */
export function fragment(pointer: Pointer): string {
  const segments = pointer.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${segments.join('/')}`;
}

import { isDeepStrictEqual } from 'node:util';
import { derivedDiscriminator } from './client-hints.js';
import { escapeSegment, type OpenApiDocument } from './openapi-document.js';

/**
 * Lists the object schemas of a document that do not restrict additional properties. An open schema would allow replies
 * with undocumented properties, so the generator rejects it.
 *
 * @returns one line per fault with the JSON Pointer of the schema
 */
export function closedSchemaFaults(document: OpenApiDocument): string[] {
  const faults: string[] = [];
  visit(document, document, '#', faults);
  return faults;
}

function visit(document: OpenApiDocument, value: unknown, pointer: string, faults: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    const keys: Partial<Record<string, unknown>> = { ...value };
    if (isObjectSchema(keys) && (keys['additionalProperties'] === undefined || keys['additionalProperties'] === true)) {
      faults.push(`${pointer}: an object schema needs additionalProperties: false, or the schema of its values`);
    }
    const { discriminator } = keys;
    if (
      discriminator !== undefined &&
      !isDeepStrictEqual(discriminator, derivedDiscriminator(document, keys['oneOf']))
    ) {
      faults.push(`${pointer}: no discriminator; use a const property to distinguish branches`);
    }
  }
  for (const [key, child] of Object.entries(value)) {
    if (key === 'example' || key === 'examples' || key === 'enum' || key === 'const') continue;
    visit(document, child, `${pointer}/${escapeSegment(key)}`, faults);
  }
}

function isObjectSchema(keys: Partial<Record<string, unknown>>): boolean {
  const type = keys['type'];
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

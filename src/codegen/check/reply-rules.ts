import {
  componentName,
  httpMethods,
  isReference,
  resolve,
  type OpenApiDocument,
  type ResponseObject,
  type SchemaObject,
} from '../read/openapi-document.js';
import { acceptsAnything, isOfStandard } from './schema-places.js';

/**
 * Lists what breaks the rules for replies in `openapi/README.md`: every property is required, and nothing has a
 * default.
 *
 * @returns one line per fault
 */
export function replyFaults(document: OpenApiDocument): string[] {
  const faults = new Set<string>();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of httpMethods) {
      for (const [status, given] of Object.entries(item[method]?.responses ?? {})) {
        const { content = {} } = resolve<ResponseObject>(document, given);
        for (const { schema } of Object.values(content)) {
          visit(document, schema, `${method.toUpperCase()} ${path} ${status}`, new Set(), faults);
        }
      }
    }
  }
  return [...faults];
}

function visit(document: OpenApiDocument, given: unknown, place: string, seen: Set<string>, faults: Set<string>): void {
  if (!isSchema(given)) return;
  if (isReference(given)) {
    const name = componentName(given.$ref);
    if (seen.has(name)) return;
    seen.add(name);
    visit(document, resolve<SchemaObject>(document, given), name, seen, faults);
    return;
  }
  if (isOfStandard(given)) return; // the standard says which properties may be absent
  const { properties = {}, required, oneOf, items, additionalProperties } = given;
  if (acceptsAnything(given)) faults.add(`${place}: a schema of a reply accepts every JSON value`);
  if (given['default'] !== undefined) faults.add(`${place}: a schema of a reply has a default`);
  const names = isSchema(properties) ? Object.keys(properties) : [];
  for (const name of names.filter((each) => !(Array.isArray(required) && required.includes(each)))) {
    faults.add(`${place}: the property ${name} of a reply is not required; make it nullable instead`);
  }
  const branches: unknown[] = Array.isArray(oneOf) ? oneOf : [];
  const children = isSchema(properties) ? Object.entries(properties) : [];
  for (const [name, child] of children) visit(document, child, `${place}.${name}`, seen, faults);
  for (const child of [...branches, items, additionalProperties]) visit(document, child, place, seen, faults);
}

function isSchema(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { normalized } from '../diff/schema-keywords.js';
import { record } from '../documents.js';
import { mapObjects } from '../members.js';

/** Rewrites the schemas of an OpenAPI 3.0 document to JSON Schema 2020-12; returns any other document as it is. */
export function modernized(document: unknown): unknown {
  return String(record(document)['openapi']).startsWith('3.0') ? mapObjects(document, rewritten) : document;
}

function rewritten(object: Readonly<Record<string, unknown>>): unknown {
  const isOld =
    object['nullable'] === true ||
    ['exclusiveMinimum', 'exclusiveMaximum'].some((key) => typeof object[key] === 'boolean');
  return isOld ? normalized(object) : object;
}

import { normalized } from '../diff/schema-keywords.js';
import { record } from '../documents.js';

/** Rewrites the schemas of an OpenAPI 3.0 document to JSON Schema 2020-12; returns any other document as it is. */
export function modernized(document: unknown): unknown {
  return String(record(document)['openapi']).startsWith('3.0') ? rewritten(document) : document;
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [key, key === 'example' ? each : rewritten(each)]),
  );
  const isOld =
    inner['nullable'] === true ||
    ['exclusiveMinimum', 'exclusiveMaximum'].some((key) => typeof inner[key] === 'boolean');
  return isOld ? normalized(inner) : inner;
}

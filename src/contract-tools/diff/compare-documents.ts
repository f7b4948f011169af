import { isDeepStrictEqual } from 'node:util';
import { entries, httpMethods, record, resolve } from '../documents.js';
import { at, type Change, type ChangeClass, type Side } from './change.js';
import { compareOperations, type Operation } from './compare-operations.js';
import { compareReplies } from './compare-replies.js';
import { compareWebhooks } from './compare-webhooks.js';
import type { Comparison } from './position.js';

/**
 * Lists how two versions of an OpenAPI 3.x document differ, for requests and replies separately. References must stay
 * within the documents (bundle them before).
 *
 * @throws Error when a reference points to nothing
 */
export function compareDocuments(before: unknown, after: unknown): Change[] {
  const changes: Change[] = [];
  const known = new Map<string, WeakMap<object, WeakSet<object>>>();
  const comparison: Comparison = {
    before,
    after,
    report: (change) => changes.push(change),
    isKnown: (old, now, role) => {
      if (typeof old !== 'object' || old === null || typeof now !== 'object' || now === null) return false;
      const pairs = known.get(role) ?? new WeakMap<object, WeakSet<object>>();
      known.set(role, pairs);
      const partners = pairs.get(old) ?? new WeakSet();
      pairs.set(old, partners);
      if (partners.has(now)) return true;
      partners.add(now);
      return false;
    },
  };
  compareRoot(comparison);
  comparePaths(comparison);
  compareWebhooks(comparison);
  if (changes.length === 0 && !isDeepStrictEqual(before, after)) {
    changes.push({ class: 'neutral', side: 'contract', place: '', what: 'parts that nothing refers to changed' });
  }
  return changes;
}

/** Members of the root that are compared where they take effect, or in ways written for them. */
const structural = new Set([
  ...['paths', 'webhooks', 'security', 'servers', 'components'],
  ...['x-api-responses', 'x-max-body-bytes'],
]);
const words = new Set(['openapi', 'info', 'tags', 'externalDocs']);

function compareRoot(comparison: Comparison): void {
  const [before, after] = [record(comparison.before), record(comparison.after)];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (structural.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
    const isWords = words.has(key) || key.startsWith('x-');
    tell(comparison, isWords ? 'neutral' : 'breaking', 'contract', '', `${key} changed`);
  }
  const place = 'requests that match no operation';
  compareReplies(comparison, place, before['x-api-responses'], after['x-api-responses']);
  compareSchemes(comparison);
}

function compareSchemes({ before, after, report }: Comparison): void {
  const schemesOf = (document: unknown): Readonly<Record<string, unknown>> =>
    record(record(record(document)['components'])['securitySchemes']);
  const [old, now] = [schemesOf(before), schemesOf(after)];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isDeepStrictEqual(old[name], now[name])) continue;
    const place = `security scheme ${name}`;
    const told = (kind: ChangeClass, what: string): void => {
      report({ class: kind, side: 'request', place, what });
    };
    // The `security` of an operation says which schemes it needs.
    if (!(name in old)) told('neutral', 'a new scheme');
    else if (!(name in now)) told('neutral', 'the scheme is gone');
    else {
      const [was, is] = [withoutWords(old[name]), withoutWords(now[name])];
      told(isDeepStrictEqual(was, is) ? 'neutral' : 'breaking', 'the scheme changed');
    }
  }
}

function withoutWords(value: unknown): unknown {
  return Object.fromEntries(
    Object.entries(record(value)).filter(([key]) => key !== 'description' && !key.startsWith('x-')),
  );
}

function comparePaths(comparison: Comparison): void {
  const [before, after] = [operationsOf(comparison.before), operationsOf(comparison.after)];
  for (const [name, operation] of before) {
    const now = after.get(name);
    if (now === undefined) tell(comparison, 'breaking', 'contract', name, 'the operation is gone');
    else compareOperations(comparison, name, operation, now);
  }
  for (const name of after.keys()) {
    if (!before.has(name)) tell(comparison, 'additive', 'contract', name, 'a new operation');
  }
  comparePathItems(comparison);
}

/** What a path item has in addition to its operations. */
function comparePathItems(comparison: Comparison): void {
  const itemsOf = (document: unknown): [string, unknown][] => Object.entries(record(record(document)['paths']));
  const after = new Map(itemsOf(comparison.after));
  for (const [path, item] of itemsOf(comparison.before)) {
    const [old, now] = [record(resolve(comparison.before, item)), record(resolve(comparison.after, after.get(path)))];
    for (const key of after.has(path) ? new Set([...Object.keys(old), ...Object.keys(now)]) : []) {
      if (key === 'parameters' || key === 'servers' || httpMethods.some((each) => each === key)) continue;
      if (isDeepStrictEqual(old[key], now[key])) continue;
      const isWords = key === 'summary' || key === 'description' || key.startsWith('x-');
      tell(comparison, isWords ? 'neutral' : 'breaking', 'contract', path, `${key} changed`);
    }
  }
}

/** The operations, by method and path, with what they inherit from their path and from the document. */
function operationsOf(document: unknown): Map<string, Operation> {
  const root = record(document);
  const operations = new Map<string, Operation>();
  for (const [path, raw] of Object.entries(record(root['paths']))) {
    const item = record(resolve(document, raw));
    for (const method of httpMethods) {
      if (item[method] === undefined) continue;
      const operation = record(item[method]);
      operations.set(`${method.toUpperCase()} ${path}`, {
        members: operation,
        // Parameters of the operation override those of the path.
        parameters: [...entries(item['parameters']), ...entries(operation['parameters'])],
        security: operation['security'] ?? root['security'] ?? [],
        servers: operation['servers'] ?? item['servers'] ?? root['servers'] ?? [{ url: '/' }],
        maxBodyBytes: operation['x-max-body-bytes'] ?? root['x-max-body-bytes'],
      });
    }
  }
  return operations;
}

function tell({ report }: Comparison, kind: ChangeClass, side: Side, place: string, what: string): void {
  report({ class: kind, side, place: at(place), what });
}

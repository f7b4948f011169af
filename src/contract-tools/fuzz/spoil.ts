import { entries, record, resolve } from '../documents.js';

/** A rule of a schema, and values that break it. */
export interface Rule {
  /** The properties on the way to the value; `*` for the items of a list. */
  readonly path: readonly string[];
  readonly keyword: string;
  /** Values for the place of a valid one. A caller checks that they are forbidden. */
  readonly breaks: readonly ((value: unknown) => unknown)[];
}

/** Rules further inside are not broken. */
const deepest = 3;
/** More rules than this are not broken: one property of a large contract can have thousands. */
const mostRules = 150;
/** Longer texts and lists are not sent. */
export const longest = 20_000;

/** The rules of a schema, each of which a server has to enforce. */
export function rulesOf(document: unknown, schema: unknown): Rule[] {
  const found = new Map<string, Rule>();
  const visit = (value: unknown, path: readonly string[]): void => {
    const resolved = record(resolve(document, value));
    for (const rule of ownRules(resolved, path)) {
      if (found.size < mostRules) found.set(`${path.join('/')} ${rule.keyword}`, rule);
    }
    for (const keyword of ['allOf', 'oneOf', 'anyOf'])
      for (const each of entries(resolved[keyword])) visitOnce(each, path);
    if (path.length >= deepest) return;
    for (const [name, each] of Object.entries(record(resolved['properties']))) visitOnce(each, [...path, name]);
    if (resolved['items'] !== undefined) visitOnce(resolved['items'], [...path, '*']);
  };
  const visited = new Set<string>();
  // A branch may refer to the schema that it is a branch of.
  const visitOnce = (value: unknown, path: readonly string[]): void => {
    const key = `${path.join('/')} ${JSON.stringify(record(value)['$ref'] ?? visited.size)}`;
    if (visited.has(key) || visited.size > 5000) return;
    visited.add(key);
    visit(value, path);
  };
  visitOnce(schema, []);
  return [...found.values()];
}

function ownRules(schema: Readonly<Record<string, unknown>>, path: readonly string[]): Rule[] {
  const rule = (keyword: string, ...breaks: Rule['breaks']): Rule => ({ path, keyword, breaks });
  const simple = Object.entries(schema).flatMap(([keyword, limit]) => {
    const broken = typeof limit === 'number' ? breakingLimit(keyword, limit) : breakingOther(keyword, limit);
    return broken.length === 0 ? [] : [rule(keyword, ...broken)];
  });
  const required = entries(schema['required']).map((name) =>
    rule(`required ${String(name)}`, (value) =>
      Object.fromEntries(Object.entries(record(value)).filter(([key]) => key !== name)),
    ),
  );
  return [...simple, ...required];
}

/** Texts and lists get the size beside the limit, numbers the value. */
function breakingLimit(keyword: string, limit: number): Rule['breaks'] {
  const sized = (size: number): Rule['breaks'] => (size < 0 || size > longest ? [] : [(value) => resized(value, size)]);
  switch (keyword) {
    case 'minLength':
    case 'minItems':
      return sized(limit - 1);
    case 'maxLength':
    case 'maxItems':
      return sized(limit + 1);
    case 'minimum':
      return [() => limit - 1];
    case 'maximum':
      return [() => limit + 1];
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [() => limit];
    case 'multipleOf':
      return [() => limit / 2];
    default:
      return [];
  }
}

function breakingOther(keyword: string, limit: unknown): Rule['breaks'] {
  switch (keyword) {
    case 'type':
      return [null, 0, 'not allowed', true, [], {}, 1.5].map((other) => () => other);
    case 'enum':
    case 'const':
      return [() => 'not allowed', () => null];
    case 'pattern':
    case 'format':
      return [(value) => `${String(value)}!`, () => 'not allowed', () => ''];
    case 'uniqueItems':
      return [(value) => [...entries(value), entries(value)[0] ?? 'a', entries(value)[0] ?? 'a'].slice(-2)];
    case 'additionalProperties':
      return limit === false ? [(value) => ({ ...record(value), undocumented_member: true })] : [];
    default:
      return [];
  }
}

/** A text or a list with another size. */
export function resized(value: unknown, size: number): unknown {
  // JSON Schema counts code points.
  if (typeof value === 'string')
    return Array.from(value.padEnd(size * 2, 'a'))
      .slice(0, size)
      .join('');
  if (!Array.isArray(value)) return value;
  const items = entries(value);
  return Array.from({ length: size }, (_, index) => items[index % Math.max(1, items.length)] ?? null);
}

/**
 * A copy of a value in which the rule is broken by one of its changes.
 *
 * @returns undefined: the value has no such place
 */
export function brokenBy({ path, breaks }: Rule, value: unknown, pick: number): unknown {
  const change = breaks[pick % breaks.length];
  return change === undefined ? undefined : changedAt(value, path, change);
}

function changedAt(value: unknown, [key, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (key === '*') {
    const [first, ...others] = Array.isArray(value) ? entries(value) : [];
    const changed = first === undefined ? undefined : changedAt(first, rest, change);
    return changed === undefined ? undefined : [changed, ...others];
  }
  const object = record(value);
  const changed = key in object ? changedAt(object[key], rest, change) : undefined;
  return changed === undefined ? undefined : { ...object, [key]: changed };
}

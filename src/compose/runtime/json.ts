/**
 * Reads engine replies member by member. Engines add, drop and null members between versions, so a member of an
 * unexpected type counts as absent. Each reader documents what absent means.
 */

export type Json = Readonly<Record<string, unknown>>;

/** An object, or an empty one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** A list of objects. Drops other items. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A string, or the empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A list of strings. A single string becomes a list of one. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** A number, or a string that holds one; otherwise 0. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

/** The members that are strings. */
export function textMapOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The position in a history up to which it was read, and its stored form. */
import type { JsonValue } from '../../records.js';

/** A position in a history. */
export interface Position {
  /** The commit from which the history is read. */
  readonly tip: string;
  /** The tip of the last complete sync; its history is not read again. */
  readonly exclude: string | null;
  /** The number of commits stored so far, and the last of them. */
  readonly count: number;
  readonly last: string | null;
  /** Identifies the boundary of a shallow clone. If it moves, everything is read again. */
  readonly shallow: string | null;
}

/** The stored form of a position. */
export function asJson(position: Position): JsonValue {
  return { ...position };
}

/** Parses a stored position; undefined if it is invalid. */
export function parsePosition(value: JsonValue): Position | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { tip, exclude, count, last, shallow } = value as Record<string, JsonValue | undefined>;
  if (!isHash(tip) || typeof count !== 'number') return undefined;
  return {
    tip,
    exclude: isHash(exclude) ? exclude : null,
    count,
    last: isHash(last) ? last : null,
    shallow: typeof shallow === 'string' ? shallow : null,
  };
}

/** A value from a database may become an argument of git only if it is a hash. */
export function isHash(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(value);
}

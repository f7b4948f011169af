/** How far the reading of a history has come, and its stored form. */
import type { JsonValue } from '../../records.js';

/** Where a history stands. */
export interface Position {
  /** The commit from which the history is read. */
  readonly tip: string;
  /** The tip of the last complete sync, whose history is not read again. */
  readonly exclude: string | null;
  /** Commits stored so far, and the last one of them. */
  readonly count: number;
  readonly last: string | null;
  /** Identifies the boundary of a shallow clone: when it moves, all is read again. */
  readonly shallow: string | null;
}

/** The position as it is stored. */
export function asJson(position: Position): JsonValue {
  return { ...position };
}

/** A stored position; undefined where it is not one. */
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

/** What is read from a database becomes an argument of git only if it is a hash. */
export function isHash(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(value);
}

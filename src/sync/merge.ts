/** Merges an arriving record into a stored one. The rule is the same on every kind of database. */
import type { AnyRow, JsonValue, ListJoin, Table } from './records.js';

/** Sources that know less than a host: a clone infers, and a push names a repository by its address alone. */
const YIELDING: ReadonlySet<JsonValue | undefined> = new Set(['local', 'push']);

/**
 * The row to store, or undefined if nothing changes. SQL databases implement the same rule in their upserts
 * (sinks/sql.ts); the others call this function.
 */
export function mergeRow(table: Table, stored: AnyRow | undefined, arriving: AnyRow): AnyRow | undefined {
  if (stored === undefined) return arriving;
  const yields = table.localYields && arriving['source'] === 'local' && !YIELDING.has(stored['source']);
  const merged: Record<string, JsonValue> = {};
  let changed = false;
  for (const column of table.columns) {
    const before = stored[column.name] ?? null;
    const after = arriving[column.name] ?? null;
    if (column.name === 'last_synced') {
      merged[column.name] = after;
      continue;
    }
    const isJoined = column.joined !== undefined && areParts(column.joined, stored, arriving);
    const next = isJoined ? joinLists(before, after) : yields || (after === null && column.keepKnown) ? before : after;
    merged[column.name] = next;
    if (!same(next, before)) changed = true;
  }
  return changed ? merged : undefined;
}

function areParts({ within, partialSource }: ListJoin, stored: AnyRow, arriving: AnyRow): boolean {
  const sources = [stored['source'], arriving['source']];
  return sources.includes(partialSource) && (arriving[within] ?? null) !== null && stored[within] === arriving[within];
}

/** The union of two lists of texts; see `joined` in records.ts. */
function joinLists(before: JsonValue, after: JsonValue): JsonValue {
  if (!isList(before) || !isList(after)) return after;
  const [stored, arriving] = [new Set(before), new Set(after)];
  if (after.every((item) => stored.has(item))) return before;
  if (before.every((item) => arriving.has(item))) return after;
  return [...new Set([...stored, ...arriving])].sort();
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The key of a row as one text. It is unique, because at most one part of a key is free text. */
export function rowKey(table: Table, row: AnyRow): string {
  return table.key.map((name) => keyPart(row[name])).join(':');
}

function keyPart(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function same(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  return canonical(left) === canonical(right);
}

/** JSON with sorted names, so that values compare equal even if a database reorders members. */
function canonical(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** What PostgreSQL and SQLite share: table definitions and upserts, derived from the record catalogue. */
import type { AnyRow, Column, ColumnType, Table } from '../records.js';

export type SqlTypes = Readonly<Record<ColumnType, string>>;

/** `create table if not exists` for a table of the catalogue. */
export function createTable(table: Table, types: SqlTypes): string {
  const columns = table.columns.map(
    (column) => `${column.name} ${types[column.type]}${column.nullable ? '' : ' not null'}`,
  );
  return `create table if not exists ${table.name} (${columns.join(', ')}, primary key (${table.key.join(', ')}))`;
}

/** The index by which an organization's rows of a table are found. */
export function createIndex(table: Table): string {
  return `create index if not exists ${table.name}_by_org on ${table.name} (org_id)`;
}

/** How the states of the syncs are kept, beside the records. */
export function createStateTable(types: SqlTypes): string {
  return (
    `create table if not exists sync_state (repo_id ${types.uuid} not null, target text not null, source text not null, ` +
    `state ${types.json} not null, primary key (repo_id, target, source))`
  );
}

/**
 * The part of an upsert from `on conflict` on. It carries out `mergeRow`: a null does not erase what `keepKnown`
 * protects, inferred rows yield, and a row that would not change is not written.
 *
 * @param isDistinct the dialect's null-safe inequality of two row values
 */
export function onConflict(table: Table, isDistinct: 'is distinct from' | 'is not'): string {
  const changeable = table.columns.filter((column) => !table.key.includes(column.name));
  const compared = changeable.filter((column) => column.name !== 'last_synced');
  const next = (column: Column): string =>
    column.keepKnown ? `coalesce(excluded.${column.name}, ${table.name}.${column.name})` : `excluded.${column.name}`;
  const yields = table.localYields ? `(excluded.source <> 'local' or ${table.name}.source = 'local') and ` : '';
  return (
    `on conflict (${table.key.join(', ')}) do update set ` +
    changeable.map((column) => `${column.name} = ${next(column)}`).join(', ') +
    ` where ${yields}(${compared.map((column) => `${table.name}.${column.name}`).join(', ')}) ${isDistinct} ` +
    `(${compared.map(next).join(', ')})`
  );
}

/** The names of a table's columns, separated by commas. */
export function columnList(table: Table): string {
  return table.columns.map((column) => column.name).join(', ');
}

/** Epoch milliseconds as RFC 3339 text in UTC. */
export function timestampText(value: AnyRow[string]): string | null {
  return typeof value === 'number' ? new Date(value).toISOString() : null;
}

/** The common part of PostgreSQL and SQLite: table definitions and upserts, derived from the record catalogue. */
import type { AnyRow, Column, ColumnType, Table } from '../records.js';

export type SqlTypes = Readonly<Record<ColumnType, string>>;

/** `create table if not exists` for a table of the catalogue. */
export function createTable(table: Table, types: SqlTypes): string {
  const columns = table.columns.map(
    (column) => `${column.name} ${types[column.type]}${column.nullable ? '' : ' not null'}`,
  );
  return `create table if not exists ${table.name} (${columns.join(', ')}, primary key (${table.key.join(', ')}))`;
}

/**
 * Statements that add the missing columns to a table of an earlier release.
 *
 * @param present the names of its existing columns
 */
export function addColumns(table: Table, types: SqlTypes, present: ReadonlySet<string>): readonly string[] {
  return table.columns
    .filter(({ name, nullable }) => nullable && !present.has(name))
    .map(({ name, type }) => `alter table ${table.name} add column ${name} ${types[type]}`);
}

/** The index for finding an organization's rows of a table. */
export function createIndex(table: Table): string {
  return `create index if not exists ${table.name}_by_org on ${table.name} (org_id)`;
}

/** The table of sync states, in the same database as the records. */
export function createStateTable(types: SqlTypes): string {
  return (
    `create table if not exists sync_state (repo_id ${types.uuid} not null, target text not null, source text not null, ` +
    `state ${types.json} not null, primary key (repo_id, target, source))`
  );
}

/**
 * The `on conflict` clause of an upsert. It implements `mergeRow`: a null does not erase what `keepKnown` protects,
 * lists are joined, inferred rows yield, and a row that would not change is not written.
 *
 * @param isDistinct the dialect's null-safe inequality of two row values
 */
export function onConflict(table: Table, isDistinct: 'is distinct from' | 'is not'): string {
  const changeable = table.columns.filter((column) => !table.key.includes(column.name));
  const compared = changeable.filter((column) => column.name !== 'last_synced');
  const joins = changeable.some((column) => column.joined !== undefined);
  const isYielding = `excluded.source = 'local' and ${table.name}.source not in ('local', 'push')`;
  const next = (column: Column): string => {
    const [stored, arriving] = [`${table.name}.${column.name}`, `excluded.${column.name}`];
    const { joined } = column;
    const grown =
      joined === undefined
        ? ''
        : `when '${joined.partialSource}' in (excluded.source, ${table.name}.source) and ` +
          `excluded.${joined.within} = ${table.name}.${joined.within} then ${JOINED[isDistinct](stored, arriving)} `;
    const known = column.keepKnown ? `coalesce(${arriving}, ${stored})` : arriving;
    // If lists may grow, an inferred row is not ignored completely: its other columns keep the stored values.
    const kept =
      table.localYields && joins && column.name !== 'last_synced' ? `when ${isYielding} then ${stored} ` : '';
    return grown + kept === '' ? known : `case ${grown}${kept}else ${known} end`;
  };
  const yields = table.localYields && !joins ? `not (${isYielding}) and ` : '';
  return (
    `on conflict (${table.key.join(', ')}) do update set ` +
    changeable.map((column) => `${column.name} = ${next(column)}`).join(', ') +
    ` where ${yields}(${compared.map((column) => `${table.name}.${column.name}`).join(', ')}) ${isDistinct} ` +
    `(${compared.map(next).join(', ')})`
  );
}

/** `joinLists` of merge.ts in SQL, for two lists of texts; depends on the dialect's inequality. */
const JOINED: Readonly<Record<'is distinct from' | 'is not', (stored: string, arriving: string) => string>> = {
  'is distinct from': (stored, arriving) =>
    `case when ${stored} @> ${arriving} then ${stored} when ${arriving} @> ${stored} then ${arriving} else ` +
    `(select jsonb_agg(item order by item collate "C") from (select distinct item ` +
    `from jsonb_array_elements_text(${stored} || ${arriving}) as item) as items) end`,
  'is not': (stored, arriving) => {
    const lacks = (list: string, other: string): string =>
      `exists (select 1 from json_each(${other}) where value not in (select value from json_each(${list})))`;
    return (
      `case when not ${lacks(stored, arriving)} then ${stored} when not ${lacks(arriving, stored)} then ${arriving} ` +
      `else (select json_group_array(value) from (select value from json_each(${stored}) union ` +
      `select value from json_each(${arriving}) order by value)) end`
    );
  },
};

/** The names of a table's columns, separated by commas. */
export function columnList(table: Table): string {
  return table.columns.map((column) => column.name).join(', ');
}

/** Epoch milliseconds as RFC 3339 text in UTC. */
export function timestampText(value: AnyRow[string]): string | null {
  return typeof value === 'number' ? new Date(value).toISOString() : null;
}

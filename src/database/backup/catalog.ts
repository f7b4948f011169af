/** Reads the definitions of the tables to back up from PostgreSQL's catalog. */
import type postgres from 'postgres';

import type { BackupTable, TableDefinition } from './frames.js';

/** Postgrator's table. It is not copied: the migrations of a restore fill it. */
const migrationsTable = 'schema_version';

/** Sorted so that a table follows those that its foreign keys refer to. */
export async function readTables(sql: postgres.Sql): Promise<BackupTable[]> {
  const tables = await sql.unsafe<{ name: string; columns: string }[]>(`
    select c.relname as name, (
      select json_agg(a.attname order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')::text as columns
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> '${migrationsTable}'
    order by c.relname`);
  const references = await sql.unsafe<{ name: string; target: string }[]>(`
    select conrelid::regclass::text as name, confrelid::regclass::text as target from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`);
  const remaining = new Map(
    tables.map(({ name, columns }) => [name, { name, columns: JSON.parse(columns) as string[] }]),
  );
  const sorted: BackupTable[] = [];
  while (remaining.size > 0) {
    const free = [...remaining.values()].filter(
      ({ name }) => !references.some((each) => each.name === name && remaining.has(each.target)),
    );
    if (free.length === 0) throw new Error(`The tables ${[...remaining.keys()].join(', ')} refer to each other`);
    for (const table of free) {
      sorted.push(table);
      remaining.delete(table.name);
    }
  }
  return sorted;
}

/** The statements that create the tables again: columns, keys, storage parameters and indexes, but no foreign keys. */
export async function readDefinitions(sql: postgres.Sql): Promise<TableDefinition[]> {
  const rows = await sql.unsafe<{ name: string; create: string; indexes: string }[]>(`
    select c.relname as name,
      format('create table %I (%s)%s', c.relname, concat_ws(', ',
        (select string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            case when a.attcollation <> t.typcollation then (
              select format('collate %I.%I', n.nspname, l.collname) from pg_collation l
              join pg_namespace n on n.oid = l.collnamespace where l.oid = a.attcollation) end,
            'default ' || pg_get_expr(d.adbin, d.adrelid),
            case when a.attnotnull then 'not null' end), ', ' order by a.attnum)
          from pg_attribute a join pg_type t on t.oid = a.atttypid
          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
        (select string_agg(format('constraint %I %s', conname, pg_get_constraintdef(oid, true)), ', ' order by conname)
          from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'c'))),
        ' with (' || array_to_string(c.reloptions, ', ') || ')') as create,
      coalesce((select json_agg(pg_get_indexdef(i.indexrelid, 0, true)) from pg_index i
        where i.indrelid = c.oid and not exists (select 1 from pg_constraint where conindid = i.indexrelid)),
        '[]')::text as indexes
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> '${migrationsTable}'
    order by c.relname`);
  return rows.map(({ name, create, indexes }) => ({ name, create, indexes: JSON.parse(indexes) as string[] }));
}

/** Statements that set the positions of all sequences. */
export async function readSequences(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ statement: string }[]>(`
    select format('select setval(%L, %s)', quote_ident(sequencename), last_value) as statement from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`);
  return rows.map(({ statement }) => statement);
}

/** Planner statistics for tables that a sync has just filled, before autovacuum analyzes them. */
import type { Sql, Transaction } from './connection.js';
import { writeTexts } from './text-arrays.js';

/**
 * Analyzes the tables that have rows but no statistics. Without statistics PostgreSQL assumes that a table of a million
 * rows has a few pages, and plans accordingly.
 * @param tables names on the search path; tables that do not exist are skipped
 */
export async function analyzeUnknown(sql: Pick<Sql | Transaction, 'unsafe'>, tables: readonly string[]): Promise<void> {
  const found = await sql.unsafe<{ name: string }[]>(
    `select relname as name from pg_class
     where oid in (select to_regclass(name) from unnest($1::text::text[]) as name)
       and relpages = 0 and pg_relation_size(oid) > 0 order by relname`,
    [writeTexts(tables)],
  );
  for (const { name } of found) await sql.unsafe(`analyze ${name}`);
}

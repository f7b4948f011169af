/** The planner's statistics of tables that a sync fills in one go, before PostgreSQL's own daemon looks at them. */
import type { Sql, Transaction } from './connection.js';
import { writeTexts } from './text-arrays.js';

/**
 * Analyzes the tables that have rows and no statistics. Without statistics PostgreSQL takes a table of a million rows for
 * one of a few pages, and plans accordingly.
 *
 * @param tables names of the search path; those that do not exist are left out
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

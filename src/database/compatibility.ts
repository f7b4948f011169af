/**
 * Which releases can work with a schema.
 *
 * In a rolling update, servers of two releases share a database. Each migration says in its first line whether servers
 * of the release before can work with its result:
 *
 *     -- compatibility: expand      they can: it adds a table, a nullable column, an index
 *     -- compatibility: contract    they cannot: it removes or renames something, or makes a column mandatory
 *
 * `schema_version` stores this with each applied migration, because an older release does not have the files of newer
 * ones. A server accepts a newer schema if all migrations that it does not know are of the kind expand.
 */
import type Postgrator from 'postgrator';
import type postgres from 'postgres';

export type Compatibility = 'expand' | 'contract';

/** The compatibility that a migration declares; null: none. */
export function declaredCompatibility(migration: string): Compatibility | null {
  const [, found] = /^-- compatibility: (expand|contract)$/m.exec(migration) ?? [];
  return found === 'expand' || found === 'contract' ? found : null;
}

/** Stores the compatibility of migrations that were just applied. Those that declare nothing are of the kind contract. */
export async function recordCompatibility(sql: postgres.Sql, applied: readonly Postgrator.Migration[]): Promise<void> {
  if (applied.length === 0) return;
  // Not in a migration, because Postgrator creates this table.
  if (!(await hasCompatibility(sql))) await sql`alter table schema_version add column compatibility text`;
  for (const { version, getSql } of applied) {
    const compatibility = declaredCompatibility(getSql()) ?? 'contract';
    await sql`update schema_version set compatibility = ${compatibility} where version = ${version}`;
  }
}

/**
 * @param known the newest version of this release
 * @param present the version of the database, which is newer
 * @throws Error when this release cannot work with the schema
 */
export async function requireCompatible(sql: postgres.Sql, known: number, present: number): Promise<void> {
  const contracts = (await hasCompatibility(sql))
    ? await sql`select 1 from schema_version where version > ${known} and compatibility is distinct from 'expand' limit 1`
    : [1];
  if (contracts.length === 0) return;
  throw new Error(
    `The database is at schema version ${present}, but this release knows only ${known} and cannot work with it: ` +
      'run the newer release',
  );
}

async function hasCompatibility(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select 1 from pg_attribute
      where attrelid = to_regclass('schema_version') and attname = 'compatibility' and not attisdropped) as found`;
  return row?.found === true;
}

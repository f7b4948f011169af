/** The records and notes of the derivation of work units in PostgreSQL. */
import type postgres from 'postgres';
import { analyzeUnknown } from '../../../../database/statistics.js';
import type { AnyRow, JsonValue } from '../../../records.js';
import { tableNamed } from '../../../records.js';
import type {
  EnvironmentPart,
  Binding,
  ChangedCommit,
  CommitsWhere,
  DerivationRecords,
  ReadableTable,
  RepositoryState,
  RowQuery,
} from './records.js';
import {
  BATCH_ROWS,
  blamedLines,
  changedCommit,
  changeSums,
  CLOSINGS,
  FACT_COLUMNS,
  FILE_TABLES,
  LINKS,
  notedColumns,
  NOTES,
  PATH_SEPARATOR,
  selectBlamedLines,
  selectChangedCommits,
  selectRows,
} from './records.js';

/** @param failing converts the driver's errors to errors of a sync */
export function postgresDerivation(
  sql: postgres.Sql,
  failing: <Result>(action: () => Promise<Result>) => Promise<Result>,
): DerivationRecords {
  return {
    ensureSchema: () => failing(() => ensureSchema(sql)),
    rows: (query) => rows(sql, query, failing),
    commits: (repoId, columns, where) => commits(sql, repoId, columns, where, failing),
    changedCommits: (repoId, since) => changedCommits(sql, repoId, since, failing),
    blamedLines: (repoId, paths) =>
      blamedLines(paths, (some) =>
        failing(async () => {
          const { binding, parameters } = statement();
          const text = selectBlamedLines(repoId, some, binding);
          return sql.unsafe<AnyRow[]>(text, parameters, { prepare: true });
        }),
      ),
    writeLinks: (repoId, added, removed) => failing(() => writeNotes(sql, LINKS, repoId, added, removed)),
    writeClosings: (repoId, added, removed) => failing(() => writeNotes(sql, CLOSINGS, repoId, added, removed)),
    readProgress: (repoId) =>
      failing(async () => {
        const found = await sql<{ name: string; value: string }[]>`
          select name, value from work_unit_progress where repo_id = ${repoId}`;
        return new Map(found.map(({ name, value }) => [name, value]));
      }),
    writeProgress: (repoId, notes) =>
      failing(async () => {
        const entries = [...notes].map(([name, value]) => ({ repo_id: repoId, name, value }));
        await sql`
          insert into work_unit_progress ${sql(entries, 'repo_id', 'name', 'value')}
          on conflict (repo_id, name) do update set value = excluded.value`;
      }),
    clear: (repoId) =>
      failing(async () => {
        await sql.begin((transaction) =>
          NOTES.map((table) => transaction.unsafe(`delete from ${table} where repo_id = $1`, [repoId])),
        );
      }),
    readFile: (file, orgId) =>
      failing(async () => {
        const [row] = await sql<{ content: string }[]>`
          select ${sql(file)} as content from ${sql(FILE_TABLES[file])} where org_id = ${orgId}`;
        return row?.content;
      }),
    writeFile: (file, orgId, text) =>
      failing(async () => {
        await sql`
          insert into ${sql(FILE_TABLES[file])} ${sql({ org_id: orgId, [file]: text })}
          on conflict (org_id) do update set ${sql(file)} = excluded.${sql(file)}`;
      }),
    clearFiles: (orgId) =>
      failing(async () => {
        await sql.begin((transaction) =>
          Object.values(FILE_TABLES).map((table) => transaction`delete from ${sql(table)} where org_id = ${orgId}`),
        );
      }),
    repository: (repoId) =>
      failing(async () => {
        const [row] = await sql<{ name: string; url: string | null }[]>`
          select repo as name, url from repos where id = ${repoId}`;
        return row;
      }),
    closingsAnywhere: (orgId, issues, kinds) =>
      failing(async () => {
        const found = await sql<{ repo_id: string; issue: number; closer: string; kind: string }[]>`
          select repo_id, issue, closer, kind from work_unit_closings
          where repo_id = any(array(select id from repos where org_id = ${orgId}))
            and issue = any(${[...issues]}::integer[]) and kind = any(${[...kinds]}::text[])`;
        return found.map(({ repo_id: repoId, issue, closer, kind }) => ({ repoId, issue, closer, kind }));
      }),
    repositories: (orgId) =>
      failing(async () => {
        const found = await sql<{ id: string; repo: string }[]>`
          select id, repo from repos where org_id = ${orgId} order by id`;
        return found.map(({ id, repo }) => ({ id, name: repo }));
      }),
    environments: (orgId, { after, limit }, by) =>
      failing(async () => {
        const name = sql`coalesce(environment, '') collate "C"`;
        const from = sql`deployments where repo_id in (select id from repos where org_id = ${orgId})`;
        const facts = by.reduce((all, fact) => sql`${all}, ${sql(FACT_COLUMNS[fact])} as ${sql(fact)}`, sql``);
        const columns = by.reduce((all, fact) => sql`${all}, ${sql(FACT_COLUMNS[fact])}`, sql``);
        const found = await sql<StoredPart[]>`
          with page as (
            select distinct ${name} as name from ${from} ${after === null ? sql`` : sql`and ${name} > ${after}`}
            order by 1 limit ${limit}
          )
          select ${name} as name ${facts}, count(*)::integer as deployments, max(started_at) as last from ${from}
            and ${name} in (select name from page)
          group by ${name} ${columns} order by 1`;
        return found.map(({ name: environment, tier = null, branch = null, job = null, deployments, last }) => ({
          ...{ name: environment, deployments, lastAt: last?.getTime() ?? null },
          facts: { tier, branch, job },
        }));
      }),
    syncStates: (orgId) =>
      failing(
        () => sql<RepositoryState[]>`
          select repos.id as "repoId", repos.repo as name, sync_state.target, sync_state.state
          from repos join sync_state on sync_state.repo_id = repos.id where repos.org_id = ${orgId}`,
      ),
  };
}

/** A part of an environment, as it is read. */
interface StoredPart extends Partial<EnvironmentPart['facts']> {
  readonly name: string;
  readonly deployments: number;
  readonly last: Date | null;
}

async function ensureSchema(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    // Concurrent `create ... if not exists` statements of two first derivations could fail.
    await transaction`select pg_advisory_xact_lock(hashtextextended('plumbline sync schema', 0))`;
    await transaction`
      create table if not exists work_unit_links (
        repo_id uuid not null, hash text not null, number integer not null, kind text not null,
        primary key (repo_id, hash, number, kind))`;
    await transaction`create index if not exists work_unit_links_by_number on work_unit_links (repo_id, number)`;
    await transaction`
      create table if not exists work_unit_closings (
        repo_id uuid not null, issue integer not null, closer text not null, kind text not null,
        primary key (repo_id, issue, closer, kind))`;
    await transaction`create index if not exists work_unit_closings_by_closer on work_unit_closings (repo_id, closer)`;
    await transaction`
      create table if not exists work_unit_progress (
        repo_id uuid not null, name text not null, value text not null, primary key (repo_id, name))`;
    for (const [column, table] of Object.entries(FILE_TABLES))
      await transaction.unsafe(
        `create table if not exists ${table} (org_id text primary key, ${column} text not null)`,
      );
    // Changed rows are written to new pages, so a block range index finds them at almost no cost for the sync.
    for (const table of ['git_commits', 'git_commit_stats'])
      await transaction.unsafe(
        `create index if not exists ${table}_by_change on ${table} using brin (last_synced) with (pages_per_range = 32)`,
      );
  });
  await analyzeUnknown(sql, ['work_unit_links', 'work_unit_closings']);
}

interface Statement {
  readonly binding: Binding;
  readonly parameters: string[];
}

function statement(): Statement {
  const parameters: string[] = [];
  const place = (value: string): string => `$${parameters.push(value)}`;
  const binding: Binding = {
    final: '',
    liveLink: '',
    value: (value, type) => `${place(String(value))}${type === 'uuid' ? '::uuid' : ''}`,
    // One parameter for any number of values. The planner sees an array and looks up each value in the index.
    among: (column, values, type) =>
      `${column} = any(array(select json_array_elements_text(${place(JSON.stringify(values))}::text::json)` +
      `${type === 'integer' ? '::integer' : ''}))`,
    // An array, as above; without statistics on new tables the planner would read the whole table each time.
    within: (column, query) => `${column} = any(array(${query}))`,
    time: (milliseconds) => `${place(new Date(milliseconds).toISOString())}::text::timestamptz`,
  };
  return { binding, parameters };
}

type Failing = <Result>(action: () => Promise<Result>) => Promise<Result>;

async function* rows(sql: postgres.Sql, query: RowQuery, failing: Failing): AsyncGenerator<readonly AnyRow[]> {
  const { binding, parameters } = statement();
  const text = `${selectRows(query, binding)} order by ${query.table.key.join(', ')}`;
  // A look-up by keys returns few rows; a cursor would cost another round trip.
  if (query.where.kind === 'in') {
    const found = await failing(async () => sql.unsafe<StoredRow[]>(text, parameters, { prepare: true }));
    if (found.length > 0) yield found.map(decode);
    return;
  }
  for await (const batch of cursor<StoredRow>(sql, text, parameters, failing)) yield batch.map(decode);
}

/**
 * Looks up the statistics of each commit by its key when the commit is fetched, so that statistics are neither sorted
 * nor buffered. (`offset 0` makes the planner sort the commits first.)
 */
async function* commits(
  sql: postgres.Sql,
  repoId: string,
  columns: readonly string[],
  where: CommitsWhere,
  failing: Failing,
): AsyncGenerator<readonly ChangedCommit[]> {
  const { binding, parameters } = statement();
  const found = selectRows(
    { table: tableNamed('git_commits'), repoId, columns: ['repo_id', ...columns], where },
    binding,
  );
  const text =
    `select ${columns.map((name) => `commits.${name}`).join(', ')}, changes.* ` +
    `from (${found} order by repo_id, hash offset 0) as commits, lateral (` +
    `select ${changeSums((path) => `string_agg(${path}, '${PATH_SEPARATOR}')`)} from git_commit_stats as stats ` +
    'where stats.repo_id = commits.repo_id and stats.commit_hash = commits.hash) as changes ' +
    'order by commits.repo_id, commits.hash';
  for await (const batch of cursor<StoredRow>(sql, text, parameters, failing))
    yield batch.map((row) => changedCommit(decode(row)));
}

type StoredRow = Record<string, JsonValue | Date>;

function decode(row: StoredRow): AnyRow {
  const decoded: Record<string, JsonValue> = {};
  for (const name in row) {
    const value = row[name] ?? null;
    decoded[name] = value instanceof Date ? value.getTime() : value;
  }
  return decoded;
}

async function* changedCommits(
  sql: postgres.Sql,
  repoId: string,
  since: number,
  failing: Failing,
): AsyncGenerator<readonly string[]> {
  const { binding, parameters } = statement();
  const text = `${selectChangedCommits(repoId, since, binding)} order by hash`;
  for await (const batch of cursor<{ hash: string }>(sql, text, parameters, failing))
    yield batch.map(({ hash }) => hash);
}

async function* cursor<Row extends object>(
  sql: postgres.Sql,
  text: string,
  parameters: string[],
  failing: Failing,
): AsyncGenerator<readonly Row[]> {
  const batches = sql.unsafe<Row[]>(text, parameters, { prepare: true }).cursor(BATCH_ROWS)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await failing(() => batches.next());
      if (next.done === true) return;
      if (next.value.length > 0) yield next.value;
    }
  } finally {
    await batches.return?.();
  }
}

async function writeNotes(
  sql: postgres.Sql,
  table: ReadableTable,
  repoId: string,
  added: readonly object[],
  removed: readonly object[],
): Promise<void> {
  const columns = notedColumns(table);
  const names = columns.map(({ name }) => name);
  const arriving =
    `json_to_recordset($2::text::json) as note ` + `(${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`;
  const removal =
    `delete from ${table.name} using ${arriving} where ${table.name}.repo_id = $1 and ` +
    names.map((name) => `${table.name}.${name} = note.${name}`).join(' and ');
  const addition =
    `insert into ${table.name} (repo_id, ${names.join(', ')}) ` +
    `select $1::uuid, ${names.join(', ')} from ${arriving} on conflict do nothing`;
  await sql.begin((transaction) => [
    ...(removed.length === 0 ? [] : [transaction.unsafe(removal, [repoId, JSON.stringify(removed)])]),
    ...(added.length === 0 ? [] : [transaction.unsafe(addition, [repoId, JSON.stringify(added)])]),
  ]);
}

/** The records and notes of the derivation of work units in SQLite. */
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { asPromise } from '../../../../database/sqlite-driver.js';
import type { AnyRow, Column } from '../../../records.js';
import { tableNamed } from '../../../records.js';
import type {
  DeploymentFact,
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
  columnsOf,
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

type Value = string | number | null;

/** The required part of the sink's connection; all of it is synchronous. */
export interface SqliteConnection {
  all(text: string, values: readonly Value[]): readonly unknown[];
  run(text: string, values: readonly Value[]): void;
  /** Runs the action in a transaction; fails with an error of a sync. */
  transaction(action: () => void): void;
  decode(columns: readonly Column[], row: unknown): AnyRow;
}

export function sqliteDerivation(connection: SqliteConnection): DerivationRecords {
  const write = (action: () => void): Promise<void> =>
    asPromise(() => {
      connection.transaction(action);
    });
  const read = <Result>(action: () => Result): Promise<Result> => asPromise(action);
  return {
    ensureSchema: () =>
      write(() => {
        ensureSchema(connection);
      }),
    rows: (query) => toAsyncIterable(rows(connection, query)),
    commits: (repoId, columns, where) => toAsyncIterable(commits(connection, repoId, columns, where)),
    changedCommits: (repoId, since) => toAsyncIterable(changedCommits(connection, repoId, since)),
    blamedLines: (repoId, paths) =>
      blamedLines(paths, (some) =>
        read(() => {
          const { binding, values } = statement();
          const found = connection.all(selectBlamedLines(repoId, some, binding), values);
          return found.map((row) => connection.decode(LINES, row));
        }),
      ),
    writeLinks: (repoId, added, removed) =>
      write(() => {
        writeNotes(connection, LINKS, repoId, added, removed);
      }),
    writeClosings: (repoId, added, removed) =>
      write(() => {
        writeNotes(connection, CLOSINGS, repoId, added, removed);
      }),
    closingsAnywhere: (orgId, issues, kinds) =>
      read(() => {
        const found = connection.all(
          `select repo_id, cast(issue as text) as issue, closer, kind from work_unit_closings
          where repo_id in (select id from repos where org_id = ?1)
            and issue in (select value from json_each(?2)) and kind in (select value from json_each(?3))`,
          [orgId, JSON.stringify(issues), JSON.stringify(kinds)],
        );
        return found.map((row) => ({
          repoId: textIn(row, 'repo_id'),
          issue: Number(textIn(row, 'issue')),
          closer: textIn(row, 'closer'),
          kind: textIn(row, 'kind'),
        }));
      }),
    readProgress: (repoId) =>
      read(() => {
        const found = connection.all('select name, value from work_unit_progress where repo_id = ?', [repoId]);
        return new Map(found.map((row) => [textIn(row, 'name'), textIn(row, 'value')]));
      }),
    writeProgress: (repoId, notes) =>
      write(() => {
        for (const [name, value] of notes)
          connection.run(
            'insert into work_unit_progress (repo_id, name, value) values (?, ?, ?) ' +
              'on conflict (repo_id, name) do update set value = excluded.value',
            [repoId, name, value],
          );
      }),
    clear: (repoId) =>
      write(() => {
        for (const table of NOTES) connection.run(`delete from ${table} where repo_id = ?`, [repoId]);
      }),
    readFile: (file, orgId) =>
      read(() => {
        const [row] = connection.all(`select ${file} from ${FILE_TABLES[file]} where org_id = ?`, [orgId]);
        return row === undefined ? undefined : textIn(row, file);
      }),
    writeFile: (file, orgId, text) =>
      write(() => {
        connection.run(
          `insert into ${FILE_TABLES[file]} (org_id, ${file}) values (?, ?) ` +
            `on conflict (org_id) do update set ${file} = excluded.${file}`,
          [orgId, text],
        );
      }),
    clearFiles: (orgId) =>
      write(() => {
        for (const table of Object.values(FILE_TABLES))
          connection.run(`delete from ${table} where org_id = ?`, [orgId]);
      }),
    repository: (repoId) =>
      read(() => {
        const [row] = connection.all("select repo, coalesce(url, '') as address from repos where id = ?", [repoId]);
        return row === undefined ? undefined : { name: textIn(row, 'repo'), url: textIn(row, 'address') || null };
      }),
    repositories: (orgId) =>
      read(() => {
        const found = connection.all('select id, repo from repos where org_id = ? order by id', [orgId]);
        return found.map((row) => ({ id: textIn(row, 'id'), name: textIn(row, 'repo') }));
      }),
    environments: (orgId, { after, limit }, by) =>
      read(() => {
        const from = 'deployments where repo_id in (select id from repos where org_id = ?1)';
        const columns = by.map((fact) => `, coalesce(${FACT_COLUMNS[fact]}, '') as ${fact}`).join('');
        const found = connection.all(
          `select coalesce(environment, '') as name ${columns}, cast(count(*) as text) as deployments,
            coalesce(max(started_at), '') as last from ${from} and coalesce(environment, '') in (
              select distinct coalesce(environment, '') from ${from} and (?2 is null or coalesce(environment, '') > ?2)
              order by 1 limit ?3)
          group by coalesce(environment, '') ${by.map((fact) => `, ${FACT_COLUMNS[fact]}`).join('')} order by 1`,
          [orgId, after, limit],
        );
        return found.map((row) => environmentPart(row, by));
      }),
    syncStates: (orgId) =>
      read(() => {
        const found = connection.all(
          'select id, repo, target, state from repos join sync_state on repo_id = id where org_id = ?',
          [orgId],
        );
        return found.map(repositoryState);
      }),
  };
}

function environmentPart(row: unknown, by: readonly DeploymentFact[]): EnvironmentPart {
  const last = textIn(row, 'last');
  const fact = (name: DeploymentFact): string | null => (by.includes(name) && textIn(row, name)) || null;
  return {
    name: textIn(row, 'name'),
    facts: { tier: fact('tier'), branch: fact('branch'), job: fact('job') },
    deployments: Number(textIn(row, 'deployments')),
    lastAt: last === '' ? null : Date.parse(last),
  };
}

function repositoryState(row: unknown): RepositoryState {
  const [repoId, name] = [textIn(row, 'id'), textIn(row, 'repo')];
  return { repoId, name, target: textIn(row, 'target'), state: textIn(row, 'state') };
}

function ensureSchema({ run }: SqliteConnection): void {
  run(
    'create table if not exists work_unit_links (repo_id text not null, hash text not null, number integer not null, ' +
      'kind text not null, primary key (repo_id, hash, number, kind)) without rowid',
    [],
  );
  run('create index if not exists work_unit_links_by_number on work_unit_links (repo_id, number)', []);
  run(
    'create table if not exists work_unit_closings (repo_id text not null, issue integer not null, ' +
      'closer text not null, kind text not null, primary key (repo_id, issue, closer, kind)) without rowid',
    [],
  );
  run('create index if not exists work_unit_closings_by_closer on work_unit_closings (repo_id, closer)', []);
  run(
    'create table if not exists work_unit_progress (repo_id text not null, name text not null, value text not null, ' +
      'primary key (repo_id, name)) without rowid',
    [],
  );
  for (const [column, table] of Object.entries(FILE_TABLES))
    run(`create table if not exists ${table} (org_id text primary key, ${column} text not null)`, []);
}

interface Statement {
  readonly binding: Binding;
  readonly values: Value[];
}

function statement(): Statement {
  const values: Value[] = [];
  const place = (value: Value): string => `?${values.push(value)}`;
  const binding: Binding = {
    final: '',
    liveLink: '',
    value: (value) => place(value),
    among: (column, list) => `${column} in (select value from json_each(${place(JSON.stringify(list))}))`,
    within: (column, query) => `${column} in (${query})`,
    // Times are stored as texts of equal length, so that they sort chronologically.
    time: (milliseconds) => place(new Date(milliseconds).toISOString()),
  };
  return { binding, values };
}

/** Reads page by page after the last key, because an open cursor of SQLite blocks writers. */
function* rows(connection: SqliteConnection, query: RowQuery): Generator<readonly AnyRow[]> {
  const key = query.table.key.join(', ');
  const columns = columnsOf(query);
  let after: AnyRow | undefined;
  for (;;) {
    const { binding, values } = statement();
    const text = selectRows(query, binding);
    const last = after;
    const beyond =
      last === undefined
        ? ''
        : ` and (${key}) > (${query.table.key.map((name) => binding.value(name === 'repo_id' ? query.repoId : keyValue(last[name]), 'text')).join(', ')})`;
    const found = connection.all(`${text}${beyond} order by ${key} limit ${BATCH_ROWS}`, values);
    const batch = found.map((row) => connection.decode(columns, row));
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH_ROWS) return;
    after = batch.at(-1);
  }
}

/** Page by page like `rows`. Both tables are read in key order, so nothing is sorted or buffered. */
function* commits(
  connection: SqliteConnection,
  repoId: string,
  columns: readonly string[],
  where: CommitsWhere,
): Generator<readonly ChangedCommit[]> {
  const table = tableNamed('git_commits');
  const typed = columnsOf({ table, repoId, columns, where });
  for (let after = ''; ;) {
    const { binding, values } = statement();
    const found = selectRows({ table, repoId, columns: ['repo_id', ...columns], where }, binding);
    const text =
      `select ${columns.map((name) => `commits.${name}`).join(', ')}, ` +
      `${changeSums((path) => `group_concat(${path}, '${PATH_SEPARATOR}')`)} ` +
      `from (${found} and hash > ${binding.value(after, 'text')} order by hash limit ${BATCH_ROWS}) as commits ` +
      'left join git_commit_stats as stats on stats.repo_id = commits.repo_id and stats.commit_hash = commits.hash ' +
      'group by commits.hash order by commits.hash';
    const batch = connection.all(text, values).map((row) => changedCommit(connection.decode([...typed, ...SUMS], row)));
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH_ROWS) return;
    const last = batch.at(-1)?.row['hash'];
    after = typeof last === 'string' ? last : after;
  }
}

const SUMS = (['churn', 'aggregate', 'paths'] as const).map(computed);
const LINES = (['path', 'lines'] as const).map(computed);

function computed(name: string): Column {
  return { name, type: 'integer', nullable: true, keepKnown: false };
}

function* changedCommits(connection: SqliteConnection, repoId: string, since: number): Generator<readonly string[]> {
  for (let after = ''; ;) {
    const { binding, values } = statement();
    const text = selectChangedCommits(repoId, since, binding);
    const beyond = binding.value(after, 'text');
    const found = connection.all(
      `select hash from (${text}) where hash > ${beyond} order by hash limit ${BATCH_ROWS}`,
      values,
    );
    const hashes = found.map((row) => textIn(row, 'hash'));
    if (hashes.length > 0) yield hashes;
    if (hashes.length < BATCH_ROWS) return;
    after = hashes.at(-1) ?? after;
  }
}

function writeNotes(
  { run }: SqliteConnection,
  table: ReadableTable,
  repoId: string,
  added: readonly object[],
  removed: readonly object[],
): void {
  const names = notedColumns(table).map(({ name }) => name);
  // One JSON text for any number of notes: binding each value costs more.
  const parts = `${names.map((name) => `value ->> '${name}'`).join(', ')} from json_each(?)`;
  const list = names.join(', ');
  if (removed.length > 0)
    run(`delete from ${table.name} where repo_id = ? and (${list}) in (select ${parts})`, [
      repoId,
      JSON.stringify(removed),
    ]);
  if (added.length > 0)
    run(`insert into ${table.name} (repo_id, ${list}) select ?, ${parts} where true on conflict do nothing`, [
      repoId,
      JSON.stringify(added),
    ]);
}

function textIn(row: unknown, name: string): string {
  const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
  if (typeof value !== 'string') throw new Error(`SQLite gave no text ${name}`);
  return value;
}

function keyValue(value: AnyRow[string] | undefined): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('A key holds texts and numbers only');
}

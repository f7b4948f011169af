/** What the derivation of work units reads and keeps in SQLite. */
import { asyncOf } from '../providers/async-of.js';
import type { AnyRow, Column } from '../records.js';
import type { Binding, Derivation, Link, RowQuery } from './derivation.js';
import { BATCH_ROWS, columnsOf, selectChangedCommits, selectRows } from './derivation.js';

type Value = string | number | null;

/** The sink's connection, as far as it is needed here; everything in it is synchronous. */
export interface SqliteConnection {
  all(text: string, values: readonly Value[]): readonly unknown[];
  run(text: string, values: readonly Value[]): void;
  /** Runs the action in a transaction; fails with an error of a sync. */
  transaction(action: () => void): void;
  decode(columns: readonly Column[], row: unknown): AnyRow;
}

export function sqliteDerivation(connection: SqliteConnection): Derivation {
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
    rows: (query) => asyncOf(rows(connection, query)),
    changedCommits: (repoId, since) => asyncOf(changedCommits(connection, repoId, since)),
    writeLinks: (repoId, added, removed) =>
      write(() => {
        writeLinks(connection, repoId, added, removed);
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
    readTeams: (orgId) =>
      read(() => {
        const [row] = connection.all('select teams from team_files where org_id = ?', [orgId]);
        return row === undefined ? undefined : textIn(row, 'teams');
      }),
    writeTeams: (orgId, teams) =>
      write(() => {
        connection.run(
          'insert into team_files (org_id, teams) values (?, ?) on conflict (org_id) do update set teams = excluded.teams',
          [orgId, teams],
        );
      }),
    repositoryName: (repoId) =>
      read(() => {
        const [row] = connection.all('select repo from repos where id = ?', [repoId]);
        return row === undefined ? undefined : textIn(row, 'repo');
      }),
    repositories: (orgId) =>
      read(() => {
        const found = connection.all('select id, repo from repos where org_id = ? order by id', [orgId]);
        return found.map((row) => ({ id: textIn(row, 'id'), name: textIn(row, 'repo') }));
      }),
  };
}

function ensureSchema({ run }: SqliteConnection): void {
  run(
    'create table if not exists work_unit_links (repo_id text not null, hash text not null, number integer not null, ' +
      'kind text not null, primary key (repo_id, hash, number, kind)) without rowid',
    [],
  );
  run('create index if not exists work_unit_links_by_number on work_unit_links (repo_id, number)', []);
  run(
    'create table if not exists work_unit_progress (repo_id text not null, name text not null, value text not null, ' +
      'primary key (repo_id, name)) without rowid',
    [],
  );
  run('create table if not exists team_files (org_id text primary key, teams text not null)', []);
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
    // Times are stored as texts of one width, which sort as the times do.
    time: (milliseconds) => place(new Date(milliseconds).toISOString()),
  };
  return { binding, values };
}

/** Page by page after the last key: SQLite's own cursor would keep others from writing. */
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

function writeLinks({ run }: SqliteConnection, repoId: string, added: readonly Link[], removed: readonly Link[]): void {
  for (const { hash, number, kind } of removed)
    run('delete from work_unit_links where repo_id = ? and hash = ? and number = ? and kind = ?', [
      repoId,
      hash,
      number,
      kind,
    ]);
  for (const { hash, number, kind } of added)
    run('insert into work_unit_links (repo_id, hash, number, kind) values (?, ?, ?, ?) on conflict do nothing', [
      repoId,
      hash,
      number,
      kind,
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

function asPromise<Result>(action: () => Result): Promise<Result> {
  return new Promise((resolve) => {
    resolve(action());
  });
}

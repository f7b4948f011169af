/**
 * Work units in SQLite: the same two tables as in PostgreSQL. Each is stored in the order of organization and day, so
 * that a query reads one stretch of the file; a second index finds a unit by its id.
 */
import Database from 'libsql';
import type { WorkUnit, WorkUnitChange, WorkUnitStore } from '../work-unit.js';
import { partRow, shareRows, unitOf, unitRow, type ShareRow, type UnitRow } from './rows.js';

const BATCH = 1000;

const SCHEMA = `
  create table if not exists work_units (
    org_id text not null, day text not null, id text not null, repo_id text not null, work_type text not null,
    repo text not null, team text not null, author text not null, theme text not null, subcategory text not null,
    churn integer not null, cycle_ms integer, started_at text not null, completed_at text,
    primary key (org_id, day, id)
  ) without rowid;
  create unique index if not exists work_units_by_id on work_units (org_id, id);
  create index if not exists work_units_of_repository on work_units (org_id, repo_id, id);
  create table if not exists work_unit_shares (
    org_id text not null, day text not null, id text not null, subcategory text not null, work_type text not null,
    repo text not null, team text not null, author text not null, theme text not null,
    weight integer not null, churn integer not null, cycle_ms integer,
    primary key (org_id, day, id, subcategory)
  ) without rowid;
  create unique index if not exists work_unit_shares_by_id on work_unit_shares (org_id, id, subcategory);
`;

const UNIT_COLUMNS = [
  ...(['id', 'work_type', 'repo', 'team', 'author', 'theme', 'subcategory'] as const),
  ...(['started_at', 'completed_at', 'day', 'churn', 'cycle_ms'] as const),
] satisfies readonly (keyof UnitRow)[];
const SHARE_COLUMNS = [
  ...(['id', 'work_type', 'repo', 'team', 'author', 'theme', 'subcategory'] as const),
  ...(['day', 'weight', 'churn', 'cycle_ms'] as const),
] satisfies readonly (keyof ShareRow)[];

const INSERT_UNIT = insert('work_units', ['org_id', 'repo_id', ...UNIT_COLUMNS]);
const INSERT_SHARE = insert('work_unit_shares', ['org_id', ...SHARE_COLUMNS]);

type Value = string | number | null;

/** Opens the database file, which is created where it does not exist. */
export function openSqliteStore(path: string): WorkUnitStore {
  const database = new Database(path, { timeout: 30_000 });
  const prepared = new Map<string, Database.Statement>();
  const prepare: Prepare = (text) => {
    const existing = prepared.get(text);
    if (existing !== undefined) return existing;
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return {
    ensureSchema: () =>
      settled(() => {
        // WAL lets the analytics read during a sync.
        database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 30000');
        database.exec(SCHEMA);
      }),
    apply: (change) =>
      settled(() => {
        database.exec('begin immediate');
        try {
          apply(prepare, change);
          database.exec('commit');
        } catch (error) {
          database.exec('rollback');
          throw error;
        }
      }),
    scan: (orgId, repoId) => scan(prepare, orgId, repoId),
    find: (orgId, id) =>
      settled(() => {
        const row = prepare('select * from work_units where org_id = ? and id = ?').get([orgId, id]);
        return isRow(row) ? decoded(prepare, orgId, row) : undefined;
      }),
    close: () =>
      settled(() => {
        database.close();
      }),
  };
}

type Prepare = (text: string) => Database.Statement;

function apply(prepare: Prepare, { orgId, repoId, units, removed }: WorkUnitChange): void {
  for (const id of removed) remove(prepare, orgId, id);
  for (const unit of units) {
    const row = unitRow(unit);
    // The day is part of the key: a unit that moved to another one would stay behind on the old.
    remove(prepare, orgId, row.id);
    prepare(INSERT_UNIT).run([orgId, repoId, ...UNIT_COLUMNS.map((name): Value => row[name])]);
    for (const share of shareRows(row, unit.shares)) {
      prepare(INSERT_SHARE).run([orgId, ...SHARE_COLUMNS.map((name): Value => share[name])]);
    }
  }
}

function remove(prepare: Prepare, orgId: string, id: string): void {
  prepare('delete from work_unit_shares where org_id = ? and id = ?').run([orgId, id]);
  prepare('delete from work_units where org_id = ? and id = ?').run([orgId, id]);
}

function insert(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

// The driver is synchronous; the interface of the stores is not.
// eslint-disable-next-line @typescript-eslint/require-await
async function* scan(prepare: Prepare, orgId: string, repoId: string): AsyncGenerator<readonly WorkUnit[]> {
  const page = prepare(
    'select * from work_units where org_id = ? and repo_id = ? and id > ? order by id limit ' + String(BATCH),
  );
  let after = '';
  for (;;) {
    const rows = page.all([orgId, repoId, after]).filter(isRow);
    if (rows.length > 0) yield rows.map((row) => decoded(prepare, orgId, row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = String(last['id']);
  }
}

type Row = Readonly<Record<string, unknown>>;

function isRow(row: unknown): row is Row {
  return typeof row === 'object' && row !== null;
}

function decoded(prepare: Prepare, orgId: string, row: Row): WorkUnit {
  const parts = prepare(
    'select subcategory, weight from work_unit_shares where org_id = ? and id = ? order by weight desc, subcategory',
  ).all([orgId, row['id']]);
  return unitOf(
    row,
    parts.filter(isRow).map(({ subcategory, weight }) => partRow(subcategory, weight)),
  );
}

function settled<Result>(action: () => Result): Promise<Result> {
  return new Promise((resolve) => {
    resolve(action());
  });
}

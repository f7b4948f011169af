/**
 * The records and notes of the derivation of work units in ClickHouse. Its tables are ReplacingMergeTrees like the
 * sink's; a removed link is written again with a deletion mark.
 */
import { createTable, deleteRows, type TableDefinition } from '../../../../analytics/clickhouse/tables.js';
import type { AnyRow, Column, JsonValue } from '../../../records.js';
import { tableNamed } from '../../../records.js';
import type {
  Binding,
  DeploymentFact,
  ChangedCommit,
  CommitsWhere,
  DerivationRecords,
  ReadableTable,
  RowQuery,
  Where,
} from './records.js';
import {
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

type Parameters = Record<string, string | number | readonly (string | number)[]>;

/** The required part of the sink's connection; failures are errors of a sync. */
export interface ClickHouseConnection {
  readonly cluster: string | undefined;
  select(query: string, parameters: Parameters): Promise<Record<string, JsonValue>[]>;
  command(query: string, parameters?: Parameters): Promise<void>;
  insert(table: string, rows: readonly AnyRow[]): Promise<void>;
  /** A number that increases with each call, also across processes. */
  nextVersion(): number;
  decode(columns: readonly Column[], row: AnyRow): AnyRow;
}

/** Rows per page: each page is a separate query, which is expensive in ClickHouse. */
const PAGE_ROWS = 10_000;
/** Keys are sent as URL parameters, and some proxies limit these to 16 KiB. */
const KEYS_AT_ONCE = 250;
const KEY_CHARACTERS = 12_000;

export function clickHouseDerivation(connection: ClickHouseConnection): DerivationRecords {
  const { select, insert } = connection;
  return {
    ensureSchema: () => ensureSchema(connection),
    rows: (query) => rows(connection, query),
    commits: (repoId, columns, where) => commits(connection, repoId, columns, where),
    changedCommits: (repoId, since) => changedCommits(connection, repoId, since),
    blamedLines: (repoId, paths) =>
      blamedLines(paths, (some) => {
        const { binding, parameters } = statement();
        return select(selectBlamedLines(repoId, some, binding), parameters);
      }),
    writeLinks: (repoId, added, removed) => writeNotes(connection, LINKS, repoId, added, removed),
    writeClosings: (repoId, added, removed) => writeNotes(connection, CLOSINGS, repoId, added, removed),
    readProgress: async (repoId) => {
      const query = 'select name, value from work_unit_progress final where repo_id = {repo:UUID}';
      const found = await select(query, { repo: repoId });
      return new Map(found.map((row) => [textIn(row, 'name'), textIn(row, 'value')]));
    },
    writeProgress: (repoId, notes) => {
      const version = connection.nextVersion();
      return insert(
        'work_unit_progress',
        [...notes].map(([name, value]) => ({ repo_id: repoId, name, value, version })),
      );
    },
    clear: async (repoId) => {
      for (const table of NOTES)
        await connection.command(deleteRows(table, 'repo_id = {repo:UUID}', connection.cluster), { repo: repoId });
    },
    readFile: async (file, orgId) => {
      const query = `select ${file} from ${FILE_TABLES[file]} final where org_id = {org:String}`;
      const [row] = await select(query, { org: orgId });
      return row === undefined ? undefined : textIn(row, file);
    },
    writeFile: (file, orgId, text) =>
      insert(FILE_TABLES[file], [{ org_id: orgId, [file]: text, version: connection.nextVersion() }]),
    clearFiles: async (orgId) => {
      for (const table of Object.values(FILE_TABLES))
        await connection.command(deleteRows(table, 'org_id = {org:String}', connection.cluster), { org: orgId });
    },
    repository: async (repoId) => {
      const [row] = await select("select repo, coalesce(url, '') as address from repos final where id = {repo:UUID}", {
        repo: repoId,
      });
      return row === undefined ? undefined : { name: textIn(row, 'repo'), url: textIn(row, 'address') || null };
    },
    closingsAnywhere: async (orgId, issues, kinds) => {
      const query =
        'select toString(repo_id) as repo_id, toString(issue) as issue, closer, kind from work_unit_closings final ' +
        'where gone = 0 and repo_id in (select id from repos final where org_id = {org:String}) ' +
        'and issue in {issues:Array(Int32)} and kind in {kinds:Array(String)}';
      return (await select(query, { org: orgId, issues: [...issues], kinds: [...kinds] })).map((row) => ({
        repoId: textIn(row, 'repo_id'),
        issue: Number(textIn(row, 'issue')),
        closer: textIn(row, 'closer'),
        kind: textIn(row, 'kind'),
      }));
    },
    repositories: async (orgId) => {
      const query = 'select id, repo from repos final where org_id = {org:String} order by toString(id)';
      return (await select(query, { org: orgId })).map((row) => ({ id: textIn(row, 'id'), name: textIn(row, 'repo') }));
    },
    environments: async (orgId, { after, limit }, by) => {
      const repositories = 'select id from repos final where org_id = {org:String}';
      const from = `deployments final where repo_id in (${repositories})`;
      const name = "coalesce(environment, '')";
      const query = `select ${name} as name ${by.map((fact) => `, coalesce(${FACT_COLUMNS[fact]}, '') as ${fact}`).join('')},
          count() as deployments, toUnixTimestamp64Milli(max(started_at)) as last from ${from} and ${name} in (
            select distinct ${name} from ${from} ${after === null ? '' : `and ${name} > {after:String}`}
            order by ${name} limit {limit:UInt32})
        group by ${name} ${by.map((fact) => `, ${FACT_COLUMNS[fact]}`).join('')} order by name`;
      const found = await select(query, { org: orgId, limit, ...(after !== null && { after }) });
      const fact = (row: AnyRow, name: DeploymentFact): string | null =>
        (by.includes(name) && textIn(row, name)) || null;
      return found.map((row) => ({
        name: textIn(row, 'name'),
        facts: { tier: fact(row, 'tier'), branch: fact(row, 'branch'), job: fact(row, 'job') },
        deployments: Number(row['deployments']),
        lastAt: row['last'] === null ? null : Number(row['last']),
      }));
    },
    syncStates: async (orgId) => {
      const repositories = 'select id, repo from repos final where org_id = {org:String}';
      const query = `select id, repo, target, state from sync_state final join (${repositories}) as found on repo_id = id`;
      return (await select(query, { org: orgId })).map((row) => ({
        repoId: textIn(row, 'id'),
        name: textIn(row, 'repo'),
        target: textIn(row, 'target'),
        state: textIn(row, 'state'),
      }));
    },
  };
}

async function ensureSchema({ command, cluster }: ClickHouseConnection): Promise<void> {
  for (const statement of OWN_TABLES.flatMap((table) => createTable(table, cluster))) await command(statement);
}

const TYPES = { uuid: 'UUID', text: 'String', integer: 'Int64', timestamp: 'Int64', json: 'String' } as const;

const OWN_TABLES: readonly TableDefinition[] = [
  tableOfNotes(LINKS),
  tableOfNotes(CLOSINGS),
  {
    name: 'work_unit_progress',
    columns: ['repo_id UUID', 'name String', 'value String', 'version UInt64'],
    replacing: 'version',
    orderBy: 'repo_id, name',
    shardBy: 'repo_id',
  },
  ...Object.entries(FILE_TABLES).map(([column, table]) => fileTable(table, column)),
];

function fileTable(name: string, column: string): TableDefinition {
  return {
    name,
    columns: ['org_id String', `${column} String`, 'version UInt64'],
    replacing: 'version',
    orderBy: 'org_id',
    shardBy: 'org_id',
  };
}

function tableOfNotes(table: ReadableTable): TableDefinition {
  const columns = notedColumns(table).map(
    ({ name, type }) => `${name} ${name === 'kind' ? 'LowCardinality(String)' : TYPES[type]}`,
  );
  return {
    name: table.name,
    columns: ['repo_id UUID', ...columns, 'gone UInt8', 'version UInt64'],
    replacing: 'version',
    orderBy: table.key.join(', '),
    shardBy: 'repo_id',
  };
}

async function writeNotes(
  connection: ClickHouseConnection,
  table: ReadableTable,
  repoId: string,
  added: readonly AnyRow[],
  removed: readonly AnyRow[],
): Promise<void> {
  const version = connection.nextVersion();
  const row = (note: AnyRow, gone: number): AnyRow => ({ repo_id: repoId, ...note, gone, version });
  const rows = [...removed.map((note) => row(note, 1)), ...added.map((note) => row(note, 0))];
  if (rows.length > 0) await connection.insert(table.name, rows);
}

interface Statement {
  readonly binding: Binding;
  readonly parameters: Parameters;
}

function statement(): Statement {
  const parameters: Parameters = {};
  const place = (value: Parameters[string], type: string): string => {
    const name = `p${Object.keys(parameters).length}`;
    parameters[name] = value;
    return `{${name}:${type}}`;
  };
  const binding: Binding = {
    final: ' final',
    liveLink: 'gone = 0 and ',
    value: (value, type) => place(value, TYPES[type]),
    among: (column, values, type) => `${column} in ${place(values, `Array(${TYPES[type]})`)}`,
    within: (column, query) => `${column} in (${query})`,
    time: (milliseconds) => `fromUnixTimestamp64Milli(${place(milliseconds, 'Int64')})`,
  };
  return { binding, parameters };
}

async function* rows(connection: ClickHouseConnection, query: RowQuery): AsyncGenerator<readonly AnyRow[]> {
  const { where } = query;
  if (where.kind !== 'in') {
    yield* pages(connection, query);
    return;
  }
  const sorted = [...where.values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const values of keyParts(sorted)) yield* pages(connection, { ...query, where: { ...where, values } });
}

/** Parts of the keys that fit into an address. */
function* keyParts(keys: readonly (string | number)[]): Generator<readonly (string | number)[]> {
  let part: (string | number)[] = [];
  let characters = 0;
  for (const key of keys) {
    const length = encodeURIComponent(key).length;
    if (part.length === KEYS_AT_ONCE || (part.length > 0 && characters + length > KEY_CHARACTERS)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(key);
    characters += length;
  }
  if (part.length > 0) yield part;
}

/** Reads page by page after the last key, so that no result set stays open while a page is processed. */
async function* pages(connection: ClickHouseConnection, query: RowQuery): AsyncGenerator<readonly AnyRow[]> {
  const key = query.table.key.filter((name) => name !== 'repo_id');
  const columns = columnsOf(query);
  const typeOf = (name: string): Column['type'] => columns.find((each) => each.name === name)?.type ?? 'text';
  let after: AnyRow | undefined;
  for (;;) {
    const { binding, parameters } = statement();
    const text = selectRows(query, binding);
    const last = after;
    const beyond =
      last === undefined
        ? ''
        : ` and (${key.join(', ')}) > (${key.map((name) => binding.value(keyValue(last[name]), typeOf(name))).join(', ')})`;
    const order = `order by ${query.table.key.join(', ')} limit ${PAGE_ROWS}`;
    const batch = (await connection.select(`${text}${beyond} ${order}`, parameters)).map((row) =>
      connection.decode(columns, row),
    );
    if (batch.length > 0) yield batch;
    if (batch.length < PAGE_ROWS) return;
    after = batch.at(-1);
  }
}

/** The statistics of each page take one more query. */
async function* commits(
  connection: ClickHouseConnection,
  repoId: string,
  columns: readonly string[],
  where: CommitsWhere,
): AsyncGenerator<readonly ChangedCommit[]> {
  for await (const page of rows(connection, { table: tableNamed('git_commits'), repoId, columns, where })) {
    const { binding, parameters } = statement();
    const found = {
      table: tableNamed('git_commit_stats'),
      repoId,
      columns: STATS_COLUMNS,
      where: statsOf(where, page),
    };
    const text =
      `select commit_hash, ${changeSums((path) => `arrayStringConcat(groupArray(${path}), '${PATH_SEPARATOR}')`)} ` +
      `from (${selectRows(found, binding)}) as stats group by commit_hash`;
    const sums = new Map<unknown, AnyRow>();
    for (const sum of await connection.select(text, parameters)) sums.set(sum['commit_hash'], sum);
    yield page.map((row) => changedCommit({ ...row, ...sums.get(row['hash']) }));
  }
}

const STATS_COLUMNS = ['commit_hash', 'file_path', 'additions', 'deletions'] as const;

/** Selects the statistics of a page of commits. Commits looked up by keys are far apart, so their range is not read. */
function statsOf(where: CommitsWhere, page: readonly AnyRow[]): Where {
  const column = 'commit_hash';
  if (where.kind === 'linked') return { ...where, column };
  const hashes = page.map((row) => textIn(row, 'hash'));
  if (where.kind === 'in') return { kind: 'in', column, values: hashes };
  return { kind: 'range', column, from: hashes[0] ?? '', to: hashes.at(-1) ?? '' };
}

async function* changedCommits(
  connection: ClickHouseConnection,
  repoId: string,
  since: number,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const { binding, parameters } = statement();
    const text = selectChangedCommits(repoId, since, binding);
    const beyond = binding.value(after, 'text');
    const query = `select hash from (${text}) where hash > ${beyond} order by hash limit ${KEYS_AT_ONCE}`;
    const hashes = (await connection.select(query, parameters)).map((row) => textIn(row, 'hash'));
    if (hashes.length > 0) yield hashes;
    if (hashes.length < KEYS_AT_ONCE) return;
    after = hashes.at(-1) ?? after;
  }
}

function textIn(row: AnyRow, name: string): string {
  const value = row[name];
  if (typeof value !== 'string') throw new Error(`ClickHouse gave no text ${name}`);
  return value;
}

function keyValue(value: JsonValue | undefined): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('A key holds texts and numbers only');
}

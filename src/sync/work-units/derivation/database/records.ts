/**
 * The database access that the derivation of work units needs in addition to the sink. It reads parts of a repository's
 * records, and stores notes (the links between commits and requests, its progress, the teams).
 */
import type { AnyRow, Column } from '../../../records.js';
import { AGGREGATE_PATH } from '../../../records.js';

/** A table of records, or one of the notes below. */
export interface ReadableTable {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
}

/** Which rows of a repository. */
export type Where =
  | { readonly kind: 'all' }
  /** Rows whose last changing write was at or after that time (epoch milliseconds). */
  | { readonly kind: 'changed'; readonly since: number }
  | WhereIn<string | number>
  /** Both ends included, in the database's sort order of the column. */
  | { readonly kind: 'range'; readonly column: string; readonly from: string; readonly to: string }
  /** Rows whose time in a column is between two moments (epoch milliseconds); the second is excluded. */
  | { readonly kind: 'during'; readonly column: string; readonly from: number; readonly until: number }
  /** Rows with a text that is not empty in one of these columns. */
  | { readonly kind: 'named'; readonly columns: readonly string[] }
  /** Rows whose time in a column is before a moment (epoch milliseconds). */
  | { readonly kind: 'before'; readonly column: string; readonly until: number }
  /** Rows of commits that are linked to one of these requests; `column` contains the hash. */
  | { readonly kind: 'linked'; readonly column: string; readonly numbers: readonly number[] };

/** Selects the rows that have one of some values in a column. */
interface WhereIn<Value extends string | number> {
  readonly kind: 'in';
  readonly column: string;
  readonly values: readonly Value[];
}

/** Conditions of limited size that together select the rows with these values. */
export function* inParts<Value extends string | number>(
  column: string,
  values: readonly Value[],
): Generator<WhereIn<Value>> {
  for (let start = 0; start < values.length; start += VALUES_AT_ONCE)
    yield { kind: 'in', column, values: values.slice(start, start + VALUES_AT_ONCE) };
}

const VALUES_AT_ONCE = 1000;

export interface RowQuery {
  readonly table: ReadableTable;
  readonly repoId: string;
  /** Names of columns, including those of the key except the repository. */
  readonly columns: readonly string[];
  readonly where: Where;
}

/** Which commits of a repository, by their hashes. */
export type CommitsWhere =
  | { readonly kind: 'all' }
  | { readonly kind: 'in'; readonly column: 'hash'; readonly values: readonly string[] }
  | { readonly kind: 'linked'; readonly column: 'hash'; readonly numbers: readonly number[] };

/** Separates paths in one text. No path contains it, because git has no empty names. */
export const PATH_SEPARATOR = '//';

/** A commit with its stored changes, summed up by the database. */
export interface ChangedCommit {
  /** The requested columns. */
  readonly row: AnyRow;
  /** Additions and deletions of all files. */
  readonly churn: number;
  /** The host's sum for the whole commit; null if it reported none. */
  readonly aggregate: number | null;
  /** The changed files, in any order. */
  readonly paths: readonly string[];
}

/** A commit that a request lists, or whose message names it. A row of {@link LINKS}, without the repository. */
export type Link = Readonly<Record<'hash' | 'kind', string> & Record<'number', number>>;

/** What closes an issue: `closer` is a request's number or a commit's hash. A row of {@link CLOSINGS}, in the same way. */
export type Closing = Readonly<Record<'closer' | 'kind', string> & Record<'issue', number>>;

/** A text of which each organization has one: its teams, the names of its authors, its rules, and its calendar. */
export type OrganizationFile = 'teams' | 'authors' | 'rules' | 'calendar';

/** The tables of the files, each with a column that has the name of the file. */
export const FILE_TABLES: Readonly<Record<OrganizationFile, string>> = {
  teams: 'team_files',
  authors: 'author_files',
  rules: 'rule_files',
  calendar: 'calendar_files',
};

export interface DerivationRecords {
  /** Creates missing tables; the sink's tables must exist. */
  ensureSchema(): Promise<void>;
  /** Rows in key order, in batches, so that any number of rows fits into memory. */
  rows(query: RowQuery): AsyncIterable<readonly AnyRow[]>;
  /**
   * Commits in key order with their changes, in batches.
   *
   * @param columns of `git_commits`; the hash must be among them
   */
  commits(repoId: string, columns: readonly string[], where: CommitsWhere): AsyncIterable<readonly ChangedCommit[]>;
  /** The hashes of commits whose row or statistics changed, without duplicates, in batches. */
  changedCommits(repoId: string, since: number): AsyncIterable<readonly string[]>;
  /** The number of lines of files when blame was read; files without blame are omitted. */
  blamedLines(repoId: string, paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Adds and removes links. Idempotent. */
  writeLinks(repoId: string, added: readonly Link[], removed: readonly Link[]): Promise<void>;
  /** Adds and removes what closes issues. Idempotent. */
  writeClosings(repoId: string, added: readonly Closing[], removed: readonly Closing[]): Promise<void>;
  /** The rows of {@link CLOSINGS} of all repositories of an organization that have these issues and kinds. */
  closingsAnywhere(
    orgId: string,
    issues: readonly number[],
    kinds: readonly string[],
  ): Promise<readonly (Closing & { readonly repoId: string })[]>;
  /** The notes of one repository, by name. */
  readProgress(repoId: string): Promise<ReadonlyMap<string, string>>;
  writeProgress(repoId: string, notes: ReadonlyMap<string, string>): Promise<void>;
  /** Removes the links and notes of one repository. */
  clear(repoId: string): Promise<void>;
  /** The text of a file that `writeFile` stored last for an organization. */
  readFile(file: OrganizationFile, orgId: string): Promise<string | undefined>;
  writeFile(file: OrganizationFile, orgId: string, text: string): Promise<void>;
  /** Removes the files of an organization. */
  clearFiles(orgId: string): Promise<void>;
  /** The name of a repository: `owner/name`, or its directory's name. */
  repository(repoId: string): Promise<{ readonly name: string; readonly url: string | null } | undefined>;
  /** The repositories of an organization, ordered by id. */
  repositories(orgId: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /**
   * The environments of all deployments of an organization, ordered by name: those after a name, or from the first.
   *
   * @param by further facts by which their deployments are grouped
   */
  environments(
    orgId: string,
    page: { readonly after: string | null; readonly limit: number },
    by: readonly DeploymentFact[],
  ): Promise<readonly EnvironmentPart[]>;
  /** The states of all syncs of the repositories of an organization. */
  syncStates(orgId: string): Promise<readonly RepositoryState[]>;
}

/** A fact by which deployments to one environment differ. */
export type DeploymentFact = 'tier' | 'branch' | 'job';

/** The columns of the facts. */
export const FACT_COLUMNS: Readonly<Record<DeploymentFact, string>> = {
  tier: 'tier',
  branch: 'release_ref',
  job: 'job',
};

/** The deployments to an environment that have the same facts. Parts of one environment follow each other. */
export interface EnvironmentPart {
  /** The name of the environment; empty if the host names none. */
  readonly name: string;
  /** Null: none, or not asked for. */
  readonly facts: Readonly<Record<DeploymentFact, string | null>>;
  readonly deployments: number;
  /** The beginning of the last of them, in epoch milliseconds; null: unknown. */
  readonly lastAt: number | null;
}

/** A state of `SyncState`, as it is stored. */
export interface RepositoryState {
  readonly repoId: string;
  readonly name: string;
  readonly target: string;
  readonly state: unknown;
}

/** Rows per batch of a stream. */
export const BATCH_ROWS = 2500;

function column(name: string, type: Column['type']): Column {
  return { name, type, nullable: false, keepKnown: false };
}

/** The links between commits and requests. */
export const LINKS: ReadableTable = {
  name: 'work_unit_links',
  columns: [column('repo_id', 'uuid'), column('hash', 'text'), column('number', 'integer'), column('kind', 'text')],
  key: ['repo_id', 'hash', 'number', 'kind'],
};

/** The requests and commits that close issues. */
export const CLOSINGS: ReadableTable = {
  name: 'work_unit_closings',
  columns: [column('repo_id', 'uuid'), column('issue', 'integer'), column('closer', 'text'), column('kind', 'text')],
  key: ['repo_id', 'issue', 'closer', 'kind'],
};

/** The columns of a table of notes except the repository. All of them belong to its key. */
export function notedColumns({ columns }: ReadableTable): readonly Column[] {
  return columns.filter(({ name }) => name !== 'repo_id');
}

/** The tables of notes on a repository, each with a column `repo_id`. */
export const NOTES = [LINKS.name, CLOSINGS.name, 'work_unit_progress'] as const;

/** How a dialect writes values into a statement. */
export interface Binding {
  /** The suffix for the name of a table that stores several versions of a row. */
  readonly final: string;
  /** An additional condition on links and closings. */
  readonly liveLink: string;
  value(value: string | number, type: Column['type']): string;
  /** The condition that a column has one of these values. */
  among(column: string, values: readonly (string | number)[], type: Column['type']): string;
  /** The condition that a column has one of the values of a one-column query. */
  within(column: string, query: string): string;
  /** A time given in epoch milliseconds. */
  time(milliseconds: number): string;
}

/** The statement of a query, without `order by` and `limit`. */
export function selectRows({ table, repoId, columns, where }: RowQuery, bind: Binding): string {
  const repository = bind.value(repoId, 'uuid');
  return `select ${columns.join(', ')} from ${table.name}${bind.final} where ${
    table === LINKS || table === CLOSINGS ? bind.liveLink : ''
  }repo_id = ${repository} and ${condition(table, repository, where, bind)}`;
}

function condition(table: ReadableTable, repository: string, where: Where, bind: Binding): string {
  switch (where.kind) {
    case 'all':
      return '1 = 1';
    case 'changed':
      return `last_synced >= ${bind.time(where.since)}`;
    case 'in':
      return bind.among(where.column, where.values, typeOf(table, where.column));
    case 'range': {
      const type = typeOf(table, where.column);
      return `${where.column} >= ${bind.value(where.from, type)} and ${where.column} <= ${bind.value(where.to, type)}`;
    }
    case 'named':
      return `(${where.columns.map((name) => `${name} > ''`).join(' or ')})`;
    case 'during':
      return `${where.column} >= ${bind.time(where.from)} and ${where.column} < ${bind.time(where.until)}`;
    case 'before':
      return `${where.column} < ${bind.time(where.until)}`;
    case 'linked':
      return bind.within(
        where.column,
        `select hash from ${LINKS.name}${bind.final} where ${bind.liveLink}` +
          `repo_id = ${repository} and ${bind.among('number', where.numbers, 'integer')}`,
      );
  }
}

/** The statement of {@link DerivationRecords.changedCommits}, without `order by`. Its one column is `hash`. */
export function selectChangedCommits(repoId: string, since: number, bind: Binding): string {
  const changed = `repo_id = ${bind.value(repoId, 'uuid')} and last_synced >= ${bind.time(since)}`;
  return (
    `select hash from git_commits${bind.final} where ${changed} ` +
    `union ${bind.final === '' ? '' : 'distinct '}select commit_hash as hash from git_commit_stats${bind.final} where ${changed}`
  );
}

/** Paths of one statement of {@link DerivationRecords.blamedLines}. */
export const PATHS_AT_ONCE = 250;

/** The statement of {@link DerivationRecords.blamedLines}; its columns are `path` and `lines`. */
export function selectBlamedLines(repoId: string, paths: readonly string[], bind: Binding): string {
  return (
    `select path, count(*) as lines from git_blame${bind.final} ` +
    `where repo_id = ${bind.value(repoId, 'uuid')} and ${bind.among('path', paths, 'text')} group by path`
  );
}

/** Reads paths in parts. @param read runs a statement for some paths */
export async function blamedLines(
  paths: readonly string[],
  read: (paths: readonly string[]) => Promise<readonly AnyRow[]>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (let start = 0; start < paths.length; start += PATHS_AT_ONCE)
    for (const { path, lines } of await read(paths.slice(start, start + PATHS_AT_ONCE)))
      if (typeof path === 'string') found.set(path, Number(lines));
  return found;
}

/** The expressions that sum up the changes of one commit, over rows of `git_commit_stats` called `stats`. */
export function changeSums(paths: (expression: string) => string): string {
  const lines = 'coalesce(stats.additions, 0) + coalesce(stats.deletions, 0)';
  const isFile = `stats.file_path <> '${AGGREGATE_PATH}'`;
  return (
    `sum(case when ${isFile} then ${lines} else 0 end) as churn, ` +
    // Null if no row has the sum. A commit without statistics is joined to a row of nulls, which is not a file either.
    `sum(case when stats.file_path = '${AGGREGATE_PATH}' then ${lines} end) as aggregate, ` +
    `${paths(`case when ${isFile} then stats.file_path end`)} as paths`
  );
}

/** Converts a row with the columns of a commit and those of {@link changeSums}; the paths are one text. */
export function changedCommit(row: AnyRow): ChangedCommit {
  const { churn, aggregate, paths } = row;
  return {
    row,
    churn: Number(churn ?? 0),
    aggregate: aggregate === null || aggregate === undefined ? null : Number(aggregate),
    paths: typeof paths === 'string' && paths !== '' ? paths.split(PATH_SEPARATOR) : [],
  };
}

/** The columns of a table that a query reads. */
export function columnsOf({ table, columns }: RowQuery): readonly Column[] {
  return table.columns.filter(({ name }) => columns.includes(name));
}

function typeOf(table: ReadableTable, name: string): Column['type'] {
  const found = table.columns.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${table.name} has no column ${name}`);
  return found.type;
}

/**
 * The record catalogue: every table that a sync fills, with its columns, types and key.
 *
 * This is the single source: the TypeScript types of the records, the DDL and the upserts of all four kinds of
 * database, and the merge rules are derived from it.
 */

/** How a value is typed in a database. `timestamp` is epoch milliseconds (UTC) in a record. */
export type ColumnType = 'uuid' | 'text' | 'integer' | 'timestamp' | 'json';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

interface ColumnOptions {
  readonly type: ColumnType;
  readonly nullable: boolean;
  /**
   * A null never erases what is stored: sources of one record know different things (a host does not report file
   * modes, a clone does not know when its repository was created).
   */
  readonly keepKnown: boolean;
  /**
   * For a list of which one source tells a part only: where the stored or the arriving row is from that source and both
   * agree in the column `within`, which is not null, the list becomes all that either names. A list that is part of the
   * other stays as the longer one is; else the sum is sorted, so that the order in which sources come does not matter.
   */
  readonly joined?: ListJoin;
}

export interface ListJoin {
  readonly within: string;
  readonly partialSource: string;
}

/** One column of a table. */
export type Column = ColumnOptions & { readonly name: string };

/** One table: its columns in order, of which the first `key` ones named are the primary key. */
export interface Table {
  readonly name: TableName;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  /** A row that a local clone inferred does not replace one that a host reported; it only adds to joined lists. */
  readonly localYields: boolean;
}

interface Typed<T extends ColumnType, Nullable extends boolean, KeepKnown extends boolean> {
  readonly type: T;
  readonly nullable: Nullable;
  readonly keepKnown: KeepKnown;
}

function column<T extends ColumnType>(type: T): Typed<T, false, false> {
  return { type, nullable: false, keepKnown: false };
}
function optional<T extends ColumnType>(type: T): Typed<T, true, false> {
  return { type, nullable: true, keepKnown: false };
}
function known<T extends ColumnType>(type: T): Typed<T, true, true> {
  return { type, nullable: true, keepKnown: true };
}

function list(join: ListJoin): Typed<'json', false, false> & { readonly joined: ListJoin } {
  return { ...column('json'), joined: join };
}

/** Columns that every table ends with; `last_synced` is when the row was last written with a change. */
const everywhere = { org_id: column('text'), source: column('text'), last_synced: column('timestamp') } as const;

const definitions = {
  repos: {
    key: ['id'],
    localYields: true,
    columns: {
      id: column('uuid'),
      /** `owner/name`, or the directory's name where there is no remote. */
      repo: column('text'),
      ref: optional('text'),
      url: known('text'),
      default_branch: known('text'),
      created_at: known('timestamp'),
      settings: column('json'),
      tags: column('json'),
      ...everywhere,
    },
  },
  git_commits: {
    key: ['repo_id', 'hash'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      hash: column('text'),
      message: column('text'),
      author_name: optional('text'),
      author_email: optional('text'),
      author_when: column('timestamp'),
      committer_name: optional('text'),
      committer_email: optional('text'),
      committer_when: column('timestamp'),
      /** The number of parents: 0 for a root commit, 2 or more for a merge. */
      parents: column('integer'),
      ...everywhere,
    },
  },
  git_commit_stats: {
    key: ['repo_id', 'commit_hash', 'file_path'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      commit_hash: column('text'),
      /** The path after the change, or {@link AGGREGATE_PATH} for the sum over the whole commit. */
      file_path: column('text'),
      /** The path before a rename or copy, else null. */
      old_path: known('text'),
      /** Null for a binary file. */
      additions: optional('integer'),
      deletions: optional('integer'),
      /** As git prints it: `100644`; `000000` where the file does not exist. Null where the source does not tell. */
      old_file_mode: known('text'),
      new_file_mode: known('text'),
      ...everywhere,
    },
  },
  git_blame: {
    key: ['repo_id', 'path', 'line_no'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      path: column('text'),
      line_no: column('integer'),
      author_email: optional('text'),
      author_name: optional('text'),
      author_when: optional('timestamp'),
      commit_hash: column('text'),
      /** The line's text without its line end; null where the source does not give it. */
      line: optional('text'),
      ...everywhere,
    },
  },
  git_pull_requests: {
    key: ['repo_id', 'number'],
    localYields: true,
    columns: {
      repo_id: column('uuid'),
      number: column('integer'),
      title: column('text'),
      body: optional('text'),
      /** `open`, `closed` or `merged`. */
      state: column('text'),
      author_name: optional('text'),
      author_email: known('text'),
      created_at: column('timestamp'),
      updated_at: optional('timestamp'),
      merged_at: optional('timestamp'),
      closed_at: optional('timestamp'),
      head_branch: optional('text'),
      base_branch: optional('text'),
      head_hash: optional('text'),
      merge_hash: optional('text'),
      /**
       * Hashes of its commits that the source reports. host_b adds the squash to them, and reported no others than the
       * head and the squash in earlier releases. A head has the same commits for everyone.
       */
      commit_hashes: list({ within: 'head_hash', partialSource: 'host_b' }),
      labels: column('json'),
      additions: optional('integer'),
      deletions: optional('integer'),
      changed_files: optional('integer'),
      /** The earliest author date of the commits that the host lists; a squash leaves no other trace of them. */
      first_commit_at: known('timestamp'),
      first_review_at: optional('timestamp'),
      first_comment_at: optional('timestamp'),
      changes_requested_count: column('integer'),
      reviews_count: column('integer'),
      comments_count: column('integer'),
      /** How a clone knows of it, one of {@link REQUEST_EVIDENCE}; null where a host reported it. */
      evidence: optional('text'),
      ...everywhere,
    },
  },
  git_pull_request_reviews: {
    key: ['repo_id', 'number', 'review_id'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      number: column('integer'),
      review_id: column('text'),
      reviewer: column('text'),
      /** `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED` or `PENDING`. */
      state: column('text'),
      submitted_at: column('timestamp'),
      ...everywhere,
    },
  },
  ci_pipeline_runs: {
    key: ['repo_id', 'run_id'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      run_id: column('text'),
      /** The conclusion where there is one, else the state, in the host's own words. */
      status: optional('text'),
      queued_at: optional('timestamp'),
      started_at: column('timestamp'),
      finished_at: optional('timestamp'),
      ...everywhere,
    },
  },
  deployments: {
    key: ['repo_id', 'deployment_id'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      deployment_id: column('text'),
      status: optional('text'),
      environment: optional('text'),
      author_name: optional('text'),
      started_at: optional('timestamp'),
      finished_at: optional('timestamp'),
      deployed_at: optional('timestamp'),
      merged_at: optional('timestamp'),
      pull_request_number: optional('integer'),
      release_ref: optional('text'),
      /** The deployed commit, and when it was committed. */
      commit_hash: known('text'),
      committed_at: known('timestamp'),
      ...everywhere,
    },
  },
  incidents: {
    key: ['repo_id', 'incident_id'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      incident_id: column('text'),
      title: optional('text'),
      status: optional('text'),
      author_name: optional('text'),
      labels: column('json'),
      started_at: column('timestamp'),
      resolved_at: optional('timestamp'),
      ...everywhere,
    },
  },
} as const;

/**
 * What tells a clone of a request: a merge in a host's words, a commit with the trailer `See merge request`, a commit whose title
 * ends in `(#12)` that the host wrote (`squash`) or that one person wrote and another committed (`title`), a fetched ref.
 */
export const REQUEST_EVIDENCE = ['merge', 'trailer', 'squash', 'title', 'ref'] as const;
export type RequestEvidence = (typeof REQUEST_EVIDENCE)[number];

type Definitions = typeof definitions;

/** The names of the tables. */
export type TableName = keyof Definitions;

interface ValueOf {
  uuid: string;
  text: string;
  integer: number;
  timestamp: number;
  json: JsonValue;
}

type RowOf<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends { type: infer T extends ColumnType; nullable: infer N }
    ? ValueOf[T] | (N extends true ? null : never)
    : never;
};

/** A complete row of a table, as it is stored. */
export type StoredRow<Name extends TableName> = RowOf<Definitions[Name]['columns']>;

/** What a provider fills in; the organization, the repository, the source and the time are stamped on by the run. */
export type Row<Name extends TableName> = Omit<StoredRow<Name>, 'org_id' | 'source' | 'last_synced' | 'repo_id' | 'id'>;

/** Rows by table, as a provider hands them over. */
export type Records = { readonly [Name in TableName]?: readonly Row<Name>[] };

/** A row without its table's type, as the sinks see it. */
export type AnyRow = Readonly<Record<string, JsonValue>>;

/** The path of the one statistics row that stands for a whole commit (a host that reports sums only). */
export const AGGREGATE_PATH = '__AGGREGATE__';

/** All tables, in the order in which they are written. */
export const TABLES: readonly Table[] = Object.entries(definitions).map(([name, definition]) => ({
  // Object.entries widens its keys to string; they are exactly the definitions' own.
  name: name as TableName,
  key: definition.key,
  localYields: definition.localYields,
  columns: Object.entries(definition.columns).map(([columnName, options]: [string, ColumnOptions]) => ({
    name: columnName,
    ...options,
  })),
}));

const byName = new Map(TABLES.map((table) => [table.name, table]));

/** The table of that name. */
export function tableNamed(name: TableName): Table {
  const table = byName.get(name);
  if (table === undefined) throw new Error(`There is no table ${name}`);
  return table;
}

/**
 * The record catalogue: every table that a sync fills, with its columns, types and key.
 *
 * The TypeScript types of the records, the DDL, the upserts of all four kinds of database, and the merge rules are
 * derived from this catalogue.
 */

/** The type of a value in a database. In a record, `timestamp` is epoch milliseconds (UTC). */
export type ColumnType = 'uuid' | 'text' | 'integer' | 'timestamp' | 'json';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

interface ColumnOptions {
  readonly type: ColumnType;
  readonly nullable: boolean;
  /**
   * A null never overwrites a stored value, because sources know different things: a host does not report file modes,
   * and a clone does not know when its repository was created.
   */
  readonly keepKnown: boolean;
  /**
   * For a list that one source reports only in part. If the stored or the arriving row is from that source, and both
   * rows agree in the column `within`, which is not null, the result is the union of both lists. If one list contains
   * the other, the longer one is kept unchanged; otherwise the union is sorted, so that the order of the sources does
   * not matter.
   */
  readonly joined?: ListJoin;
}

export interface ListJoin {
  readonly within: string;
  readonly partialSource: string;
}

/** One column of a table. */
export type Column = ColumnOptions & { readonly name: string };

/** One table: its columns in order. The first `key` columns are the primary key. */
export interface Table {
  readonly name: TableName;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  /** A row that a clone inferred does not replace a row that a host reported; it only extends joined lists. */
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

/** Columns at the end of every table. `last_synced` is the time of the last write that changed the row. */
const everywhere = { org_id: column('text'), source: column('text'), last_synced: column('timestamp') } as const;

const definitions = {
  repos: {
    key: ['id'],
    localYields: true,
    columns: {
      id: column('uuid'),
      /** `owner/name`; without a remote the directory's name, after folders above it if it would not differ otherwise. */
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
      /** The path before a rename or copy, otherwise null. */
      old_path: known('text'),
      /** Null for a binary file. */
      additions: optional('integer'),
      deletions: optional('integer'),
      /** The mode that git prints, `100644`; `000000` for a missing file. Null if the source does not report it. */
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
      /** The line's text without its line end; null if the source does not report it. */
      line: optional('text'),
      ...everywhere,
    },
  },
  git_pull_requests: {
    key: ['repo_id', 'number'],
    localYields: true,
    columns: {
      repo_id: column('uuid'),
      /** The number at its host, or the one that `request-numbers.ts` gives to a request of another repository. */
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
       * Hashes of its commits, as the source reports them. host_b adds the squash to them, and reported only the head
       * and the squash in earlier releases. All sources agree on the commits of a head.
       */
      commit_hashes: list({ within: 'head_hash', partialSource: 'host_b' }),
      labels: column('json'),
      additions: optional('integer'),
      deletions: optional('integer'),
      changed_files: optional('integer'),
      /** The earliest author date of the commits that the host lists, which a squash removes. */
      first_commit_at: known('timestamp'),
      first_review_at: optional('timestamp'),
      first_comment_at: optional('timestamp'),
      changes_requested_count: column('integer'),
      reviews_count: column('integer'),
      comments_count: column('integer'),
      /** The evidence of a clone, one of {@link REQUEST_EVIDENCE}; null if a host reported the request. */
      evidence: optional('text'),
      /** The notes of host_b from which its reviews were read; null if unknown, and then so are the reviews. */
      notes_read: optional('integer'),
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
      /** The conclusion if there is one, otherwise the state, as the host names it. */
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
      /** The kind of environment, as host_b calls it; null if the host has none. */
      tier: known('text'),
      /** The job that deployed; null if the host does not name it. */
      job: known('text'),
      author_name: optional('text'),
      started_at: optional('timestamp'),
      finished_at: optional('timestamp'),
      deployed_at: optional('timestamp'),
      merged_at: optional('timestamp'),
      pull_request_number: optional('integer'),
      release_ref: optional('text'),
      /** The deployed commit, and its commit date. */
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
      /** The name that host_b has for it; null if it is unknown. */
      severity: optional('text'),
      started_at: column('timestamp'),
      resolved_at: optional('timestamp'),
      ...everywhere,
    },
  },
  issues: {
    key: ['repo_id', 'number'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      number: column('integer'),
      title: column('text'),
      body: optional('text'),
      /** `issue`, or another type as the host names it; `incident` if it is also an incident. */
      kind: column('text'),
      /** `open` or `closed`. */
      state: column('text'),
      /** Why it was closed: `completed`, `not_planned`, `duplicate` or `moved`; null if it is open or unknown. */
      state_reason: optional('text'),
      author_name: optional('text'),
      labels: column('json'),
      /** The severity of an incident, by the name that host_b has for it; null if it is unknown. */
      severity: optional('text'),
      created_at: column('timestamp'),
      updated_at: column('timestamp'),
      /** The last time that it was closed; null if it is open. */
      closed_at: optional('timestamp'),
      /** Numbers of the requests of this repository that the host names as those that close it. */
      closing_requests: column('json'),
      /**
       * The epic that it belongs to, and the initiative above that: the number or key at the source, such as `#12`,
       * `acme/plans#12`, `&7` or `SHOP-12`, and the title. An empty text: it has none. Null: the source does not say so.
       */
      epic_key: known('text'),
      epic: known('text'),
      initiative_key: known('text'),
      initiative: known('text'),
      ...everywhere,
    },
  },
  issue_state_changes: {
    key: ['repo_id', 'number', 'change_id'],
    localYields: false,
    columns: {
      repo_id: column('uuid'),
      number: column('integer'),
      change_id: column('text'),
      /** The new state: `opened`, `closed` or `reopened`. */
      state: column('text'),
      actor: optional('text'),
      changed_at: column('timestamp'),
      ...everywhere,
    },
  },
} as const;

/**
 * How a clone detects a request: a merge message of a host, a commit with the trailer `See merge request`, a commit
 * whose title ends in `(#12)` and that the host created (`squash`) or whose author and committer differ (`title`), or a
 * fetched ref.
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

/** A row as a provider returns it. The run adds the organization, the repository, the source and the time. */
export type Row<Name extends TableName> = Omit<StoredRow<Name>, 'org_id' | 'source' | 'last_synced' | 'repo_id' | 'id'>;

/** Rows by table, as a provider returns them. */
export type Records = { readonly [Name in TableName]?: readonly Row<Name>[] };

/** The columns of an issue whose source says nothing of epics, and of one that belongs to none. */
export const UNKNOWN_EPIC = { epic_key: null, epic: null, initiative_key: null, initiative: null } as const;
export const WITHOUT_EPIC = { epic_key: '', epic: '', initiative_key: '', initiative: '' } as const;

/** A row of any table, as the sinks see it. */
export type AnyRow = Readonly<Record<string, JsonValue>>;

/** The path of the single statistics row of a commit: of a host that reports only sums, or of an empty commit. */
export const AGGREGATE_PATH = '__AGGREGATE__';

/** All tables, in the order in which they are written. */
export const TABLES: readonly Table[] = Object.entries(definitions).map(([name, definition]) => ({
  // Object.entries widens its keys to string; they are the keys of the definitions.
  name: name as TableName,
  key: definition.key,
  localYields: definition.localYields,
  columns: Object.entries(definition.columns).map(([columnName, options]: [string, ColumnOptions]) => ({
    name: columnName,
    ...options,
  })),
}));

const byName = new Map(TABLES.map((table) => [table.name, table]));

/** The table with this name. */
export function tableNamed(name: TableName): Table {
  const table = byName.get(name);
  if (table === undefined) throw new Error(`There is no table ${name}`);
  return table;
}

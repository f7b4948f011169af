/** What views consist of: columns with their types, meanings and expressions in both engines. */
/** The type of a column, by its name in PostgreSQL. */
export type SqlType =
  'text' | 'bigint' | 'double precision' | 'boolean' | 'date' | 'timestamp with time zone' | 'jsonb';

export interface ViewColumn {
  readonly name: string;
  readonly type: SqlType;
  /** What it means, with its unit, and what null means where it can be null. */
  readonly about: string;
  readonly postgres: string;
  /** Default: the expression of PostgreSQL. Null: a reader would have to see more than the column shows. */
  readonly clickhouse?: string | null;
}

/** A view: expressions over the tables that `from` names. */
export interface View {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly ViewColumn[];
  /** In ClickHouse null, if a reader would have to see more than the view shows. */
  readonly from: { readonly postgres: string; readonly clickhouse: string | null };
  /** The column of the organization, by which a row belongs to a reader. */
  readonly organization: string;
}

type Text = readonly [name: string, about: string, postgres: string, clickhouse?: string | null];

const typed =
  (type: SqlType) =>
  (...[name, about, postgres, clickhouse]: Text): ViewColumn => ({
    ...{ name, type, about, postgres },
    ...(clickhouse === undefined ? {} : { clickhouse }),
  });
export const text = typed('text');
export const count = typed('bigint');
export const number = typed('double precision');
export const truth = typed('boolean');
export const date = typed('date');
export const moment = typed('timestamp with time zone');
export const json = typed('jsonb');

export const MILLISECONDS_OF_AN_HOUR = 3_600_000;

/** @param column a number of milliseconds, null if unknown */
export function hours(name: string, about: string, column: string): ViewColumn {
  return number(
    name,
    about,
    `${column} / ${MILLISECONDS_OF_AN_HOUR}.0::float8`,
    `${column} / ${MILLISECONDS_OF_AN_HOUR}`,
  );
}

/** @param column epoch milliseconds, null if unknown */
export function momentOf(name: string, about: string, column: string): ViewColumn {
  return moment(name, about, `to_timestamp(${column} / 1000.0)`, `fromUnixTimestamp64Milli(${column}, 'UTC')`);
}

/** The dimensions of a unit, of a table with this alias. */
export function dimensions(alias: string): readonly ViewColumn[] {
  return [
    text(
      'work_type',
      '`pull_request`, `commit`, `deployment`, `incident` or `issue`',
      `${alias}.work_type`,
      `toString(${alias}.work_type)`,
    ),
    text('repo', 'the repository, such as `acme/shop`', `${alias}.repo`, `toString(${alias}.repo)`),
    text('team', "the team's id, or `unassigned`", `${alias}.team`, `toString(${alias}.team)`),
    text(
      'author',
      'as the Analytics API names the person; bots end with `[bot]`; null: unknown',
      `nullif(${alias}.author, '')`,
      `nullIf(toString(${alias}.author), '')`,
    ),
  ];
}

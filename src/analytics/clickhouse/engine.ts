/** What the analytics and the sync need of a ClickHouse, be it a server or the engine in this process. */

/** Values for the `{name:Type}` placeholders of a statement; they never become part of its text. */
export type ClickHouseParameters = Readonly<Record<string, string | number | readonly (string | number)[]>>;

export interface QueryLimits {
  /** After this the engine ends the query, with the code 159. */
  readonly timeoutSeconds: number;
  /** Aborted, it makes the engine end the query. */
  readonly signal: AbortSignal;
}

export interface ClickHouseEngine {
  /** Rows as lists in the order of the columns; integers of 64 and more bits are text. */
  query(statement: string, parameters: ClickHouseParameters, limits?: QueryLimits): Promise<readonly unknown[][]>;
  /** Rows as objects by the names of the columns; integers of 64 and more bits are text. */
  records(statement: string, parameters: ClickHouseParameters): Promise<readonly Record<string, unknown>[]>;
  command(statement: string, parameters?: ClickHouseParameters): Promise<void>;
  insert(table: string, rows: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

/** Settings of every query: 64-bit integers as text, because JSON's numbers would round them. */
export const QUERY_SETTINGS = {
  output_format_json_quote_64bit_integers: 1,
  // Skips what has been merged: see the store.
  do_not_merge_across_partitions_select_final: 1,
} as const;

/** The number of a ClickHouse error (`system.errors`), or undefined for failures of another kind. */
export function clickHouseCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('clickhouseCode' in error && typeof error.clickhouseCode === 'number') return error.clickhouseCode;
  if ('type' in error && 'code' in error && /^\d+$/.test(String(error.code))) return Number(error.code);
  return undefined;
}

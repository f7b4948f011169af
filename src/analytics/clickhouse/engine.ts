/** The ClickHouse interface of the analytics and the sync, for a server or the engine in this process. */

/** Values for the `{name:Type}` placeholders of a statement; they never become part of its text. */
export type ClickHouseParameters = Readonly<Record<string, string | number | readonly (string | number)[]>>;

export interface QueryLimits {
  /** The engine ends the query after this time, with code 159. */
  readonly timeoutSeconds: number;
  /** Aborting it makes the engine end the query. */
  readonly signal: AbortSignal;
}

export interface ClickHouseEngine {
  /** The name of the cluster whose servers share the tables. */
  readonly cluster?: string | undefined;
  /** Rows as lists in column order; 64-bit and larger integers are text. */
  query(statement: string, parameters: ClickHouseParameters, limits?: QueryLimits): Promise<readonly unknown[][]>;
  /** Rows as objects by column name; 64-bit and larger integers are text. */
  records(statement: string, parameters: ClickHouseParameters): Promise<readonly Record<string, unknown>[]>;
  command(statement: string, parameters?: ClickHouseParameters): Promise<void>;
  insert(table: string, rows: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

/** Settings of all queries: 64-bit integers as text, because JSON numbers would round them. */
export const QUERY_SETTINGS = {
  output_format_json_quote_64bit_integers: 1,
  // Skips merged parts: see the store.
  do_not_merge_across_partitions_select_final: 1,
} as const;

/** The number of a ClickHouse error (`system.errors`), or undefined for other errors. */
export function clickHouseCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('clickhouseCode' in error && typeof error.clickhouseCode === 'number') return error.clickhouseCode;
  if ('type' in error && 'code' in error && /^\d+$/.test(String(error.code))) return Number(error.code);
  return undefined;
}

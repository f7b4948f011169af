/** The figures of a chart as a table: what is shown below it, and what is downloaded. */
export interface ChartTable {
  readonly columns: readonly string[];
  /** A row has a cell per column; numbers are aligned to the right. null: there is no value. */
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** Whether each row begins with a day (YYYY-MM-DD): it is shown as the locale writes it, and downloaded as it is. */
  readonly isByDay?: boolean;
  /** Where a number leads; absent, or undefined: nowhere. */
  readonly hrefOf?: (row: number, column: number) => string | undefined;
}

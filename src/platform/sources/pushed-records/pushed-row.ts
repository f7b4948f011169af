import type { AnyRow, Row, TableName } from '../../../sync/records.js';

/** What was pushed of one record. */
export interface PushedRow<Name extends TableName> {
  readonly repository: string;
  /** The value of the key column. */
  readonly key: string | number;
  /** When it began, or the earliest time that is known of it; epoch milliseconds. */
  readonly beganAt: number;
  /** The row after this push. */
  readonly row: (stored: AnyRow | undefined) => Row<Name>;
}

/** Ids of hosts are numbers, so that a pushed record never takes the place of one that a sync reads. */
export function storedId(id: string): string {
  return `push:${id}`;
}

/** Makes a page for the sinks out of the rows of a source. */
import type { BlameLength, SinkPage, StateKey, SyncState, TableRows } from './sinks/sink.js';
import { TABLES, type AnyRow, type Row, type TableName } from './records.js';

/** The rows of a source, and the row of the repository unless it is stored already. */
export interface SourceRows {
  readonly record: Row<'repos'> | undefined;
  readonly records: Readonly<Partial<Record<TableName, readonly AnyRow[]>>>;
  readonly blameLengths?: readonly BlameLength[];
}

export interface Stamp {
  readonly key: StateKey;
  readonly state: SyncState;
  /** The write time of the rows, in epoch milliseconds. */
  readonly time: number;
  readonly orgId: string;
}

/** Adds the columns that every record has: the repository, the organization, the source and the time. */
export function stampedPage({ record, records, blameLengths }: SourceRows, stamp: Stamp): SinkPage {
  const { key, state, time, orgId } = stamp;
  const everywhere = { org_id: orgId, source: key.source, last_synced: time };
  const tables = TABLES.flatMap((table): TableRows[] => {
    if (table.name === 'repos') {
      return record === undefined ? [] : [{ table, rows: [{ id: key.repoId, ...record, ...everywhere }] }];
    }
    const rows = records[table.name] ?? [];
    if (rows.length === 0) return [];
    return [{ table, rows: rows.map((row) => ({ repo_id: key.repoId, ...row, ...everywhere })) }];
  });
  return { key, tables, blameLengths: blameLengths ?? [], state };
}

/** Repairs a secondary database after it was unavailable or was added later. */
import type { Table } from './records.js';
import { tableNamed } from './records.js';
import type { Sink, StateKey, SyncState } from './sinks/sink.js';
import type { SyncDependencies } from './dependencies.js';
import { TABLES_OF } from './targets.js';

/**
 * Copies the primary's records of one repository and target, unless both databases already hold the same pages (equal
 * revisions). The state is written last, so an interrupted repair is repeated.
 *
 * @param stored the primary's state; undefined: there is nothing to copy
 * @param beforeCopy called before the first record is copied
 */
export async function repairSecondary(
  primary: Sink,
  secondary: Sink,
  key: StateKey,
  stored: SyncState | undefined,
  { progress, signal }: SyncDependencies,
  beforeCopy: () => Promise<void>,
): Promise<void> {
  if (stored === undefined) return;
  const there = await secondary.readState(key);
  if (there?.revision === stored.revision) return;
  await beforeCopy();
  progress.note?.('Bringing the secondary database level with the primary');
  const unfinished: SyncState = { ...stored, revision: `${stored.revision}:repairing` };
  for (const table of tablesOf(key)) {
    // Rows that the primary no longer has must be removed. (Commits that it no longer has are removed by a prune.)
    if (table.name === 'git_blame') await secondary.clear(table, key.repoId);
    for await (const rows of primary.scan(table, key.repoId)) {
      signal.throwIfAborted();
      await secondary.apply({ key, tables: [{ table, rows }], blameLengths: [], state: unfinished });
    }
  }
  await secondary.apply({ key, tables: [], blameLengths: [], state: stored });
}

function tablesOf(key: StateKey): readonly Table[] {
  return [tableNamed('repos'), ...TABLES_OF[key.target].map(tableNamed)];
}

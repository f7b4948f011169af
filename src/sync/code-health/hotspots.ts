/** Files that change often and are long: where a change is likely, and hard. */
import type { Hotspot } from '../../analytics/code-health.js';
import { byBytes } from '../../analytics/planner/values.js';
import type { FileChange } from './history.js';

/** The lines of so many files are read, those with the most changes. */
const MOST_FILES = 1000;

export interface ChangedFile {
  readonly path: string;
  readonly changes: number;
  readonly changedLines: number;
}

export class FileCount {
  readonly #files = new Map<string, ChangedFile>();

  count({ path, added, deleted }: FileChange): void {
    const { changes, changedLines } = this.#files.get(path) ?? { changes: 0, changedLines: 0 };
    this.#files.set(path, { path, changes: changes + 1, changedLines: changedLines + added + deleted });
  }

  /** The files with the most changes. */
  candidates(): readonly ChangedFile[] {
    return [...this.#files.values()].sort(byChanges).slice(0, MOST_FILES);
  }
}

/** @param lines of the files whose lines are known */
export function hotspotsOf(
  files: readonly ChangedFile[],
  lines: ReadonlyMap<string, number>,
  count: number,
): readonly Hotspot[] {
  const scored = files.map((file): Hotspot => {
    const known = lines.get(file.path) ?? null;
    return { ...file, lines: known, score: known === null ? null : file.changes * known };
  });
  return scored.sort((one, other) => (other.score ?? -1) - (one.score ?? -1) || byChanges(one, other)).slice(0, count);
}

function byChanges(one: ChangedFile, other: ChangedFile): number {
  return other.changes - one.changes || other.changedLines - one.changedLines || byBytes(one.path, other.path);
}

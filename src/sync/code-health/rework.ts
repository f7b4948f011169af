/**
 * How many deleted lines may have been young. Records have numbers of lines per file and not which lines they are, so
 * this is the largest number that they allow: each deleted line is matched with a line that was added to the same file
 * in the days before, each added line at most once. Matching the oldest lines first finds the largest number, because
 * they are the first that become too old.
 */
import type { FileChange } from './history.js';

export const REWORK_DAYS = 21;
const REWORK_MILLISECONDS = REWORK_DAYS * 86_400_000;

interface Added {
  readonly at: number;
  lines: number;
}

/** Counts the rework in one repository. Changes arrive in the order of time. */
export class ReworkCount {
  addedLines = 0;
  deletedLines = 0;
  reworkedLines = 0;
  readonly #young = new Map<string, Added[]>();

  /** A change before the range, whose lines may be reworked in it. */
  precede(at: number, change: FileChange): void {
    this.#add(this.#youngLines(at, change), at, change.added);
  }

  count(at: number, change: FileChange): void {
    const young = this.#youngLines(at, change);
    this.reworkedLines += take(young, change.deleted);
    this.#add(young, at, change.added);
    this.addedLines += change.added;
    this.deletedLines += change.deleted;
  }

  #youngLines(at: number, { path, oldPath }: FileChange): Added[] {
    const own = this.#young.get(path) ?? [];
    const other = oldPath === null ? [] : copyOf(this.#young.get(oldPath) ?? []);
    const young = [...own, ...other].filter(({ at: added }) => at - added <= REWORK_MILLISECONDS);
    if (own.length > 0 && other.length > 0) young.sort((one, another) => one.at - another.at);
    this.#young.set(path, young);
    return young;
  }

  #add(young: Added[], at: number, lines: number): void {
    if (lines > 0) young.push({ at, lines });
  }
}

/** A renamed or copied file has the lines of the other one, besides those that were added at its path before. */
function copyOf(lines: readonly Added[]): Added[] {
  return lines.map((each) => ({ ...each }));
}

/** Takes the oldest lines first. @returns how many there were */
function take(young: Added[], lines: number): number {
  let taken = 0;
  for (const added of young) {
    const part = Math.min(added.lines, lines - taken);
    added.lines -= part;
    taken += part;
  }
  return taken;
}

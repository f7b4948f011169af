/** Plans the blame of a host: all files if the branch has moved, except those that an interrupted sync has stored. */
import { SyncError } from '../failures.js';
import type { JsonValue } from '../records.js';
import type { BlamedFiles } from './limits.js';
import type { Page, Start } from './provider.js';

export interface BlamePlan {
  /** The files to read, starting at index `count`. */
  readonly paths: readonly string[];
  readonly count: number;
  /** Pages that remove files which were deleted since the last complete sync. */
  readonly removed: readonly Page[];
  positionAt(count: number): JsonValue;
  readonly last: Page;
}

/**
 * @param head the commit that is blamed
 * @param list lists its files; called only if needed
 */
export async function planBlame(head: string, start: Start, list: () => Promise<BlamedFiles>): Promise<BlamePlan> {
  const earlier = parsePosition(start?.position ?? null);
  const isSame = earlier?.head === head;
  const wasDone = start?.done === true;
  const unchanged = isSame && wasDone;
  const { paths: listed, isCut } = unchanged ? earlier : await list();
  const gone = wasDone && earlier !== undefined && !isSame ? missingFrom(listed, earlier.paths) : [];
  const note = isCut ? { note: `only ${listed.length} files are read` } : {};
  const positionAt = (count: number): JsonValue => ({ head, count, paths: [] });
  return {
    paths: unchanged ? [] : listed,
    count: isSame && !wasDone ? earlier.count : 0,
    removed:
      gone.length === 0
        ? []
        : [
            {
              records: {},
              blameLengths: gone.map((path) => ({ path, lines: 0 })),
              position: positionAt(0),
              done: false,
            },
          ],
    positionAt,
    // Stores the list of files, so that the next sync can detect deleted ones.
    last: { records: {}, position: { head, count: 0, paths: [...listed], isCut }, done: true, ...note },
  };
}

const OF_FILES: ReadonlySet<string> = new Set(['host_unavailable', 'not_found', 'unexpected_reply']);

/** Whether an error may concern only the file whose blame was requested. */
export function isOfFile(error: unknown): boolean {
  return error instanceof SyncError && OF_FILES.has(error.code);
}

/** The note about files without blame. Their stored lines are kept. */
export function noteOfSkipped(paths: readonly string[]): Pick<Page, 'note'> {
  if (paths.length === 0) return {};
  return { note: `skipped ${paths.join(', ')}: the host returned no blame; the next commit is another try` };
}

function missingFrom(present: readonly string[], before: readonly string[]): string[] {
  const paths = new Set(present);
  return before.filter((path) => !paths.has(path));
}

function parsePosition(value: JsonValue): (BlamedFiles & { head: string; count: number }) | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { head, count, paths, isCut } = value as Record<string, JsonValue | undefined>;
  if (typeof head !== 'string' || typeof count !== 'number' || !Array.isArray(paths)) return undefined;
  return { head, count, paths: paths.filter((path) => typeof path === 'string'), isCut: isCut === true };
}

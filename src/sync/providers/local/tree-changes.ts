/** The files that differ between two trees, from `git diff-tree -r -z --raw --numstat --no-renames`. */
import { SyncError } from '../../failures.js';
import { nulTerminated } from './nul-terminated.js';
import { storedPath } from './paths.js';

export interface TreeChange {
  /** The stored form of the name; see paths.ts. */
  readonly path: string;
  /** The bytes of the name. */
  readonly name: Buffer;
  /** The mode after the change, `000000` for a deleted file. */
  readonly mode: string;
  readonly isBinary: boolean;
}

const COLON = 0x3a;

/** Parses the whole list; its length is the number of changed files. */
export async function parseTreeChanges(chunks: AsyncIterable<Buffer>): Promise<TreeChange[]> {
  const files: { readonly mode: string; readonly name: Buffer }[] = [];
  const changes: TreeChange[] = [];
  let mode: string | undefined;
  for await (const field of nulTerminated(chunks)) {
    if (mode !== undefined) {
      // The field after a raw entry is always its path, even if it looks like another entry.
      files.push({ mode, name: Buffer.from(field) });
      mode = undefined;
    } else if (field[0] === COLON) {
      mode = field.toString('latin1', 8, 14);
    } else {
      const file = files[changes.length];
      if (file === undefined)
        throw new SyncError('repository_unreadable', 'git printed a difference that cannot be read');
      changes.push({ ...file, path: storedPath(file.name, 0, file.name.length), isBinary: field[0] === 0x2d });
    }
  }
  return changes;
}

/** Determines the target of a copied file or directory, by the rules of `docker cp`, which are those of `cp -R`. */
import path from 'node:path';
import { UsageError } from '../failures.js';

export interface Source {
  /** The name of the file or directory, without its path. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** Only the contents of the directory: its path ends with `/.`. */
  readonly isContents: boolean;
}

export interface Target {
  readonly path: string;
  readonly kind: 'directory' | 'file' | 'missing';
}

export interface Placement {
  /** An existing directory, unless the target's parent is missing. */
  readonly directory: string;
  /** The name of the copy; empty: the contents are copied into the directory. */
  readonly name: string;
}

/** @throws UsageError for copying a directory to a file, or a file into a directory that does not exist */
export function placement(source: Source, target: Target): Placement {
  const wantsDirectory = /\/\.?$/.test(target.path);
  if (target.kind === 'directory') return { directory: target.path, name: source.isContents ? '' : source.name };
  if (target.kind === 'file' && (source.isDirectory || wantsDirectory)) {
    throw new UsageError(`'${target.path}' is not a directory.`);
  }
  if (target.kind === 'missing' && !source.isDirectory && wantsDirectory) {
    throw new UsageError(`The directory '${target.path}' does not exist.`);
  }
  const plain = target.path.replace(/\/+\.?$/, '') || '/';
  return { directory: path.posix.dirname(plain), name: path.posix.basename(plain) };
}

/** The path inside an archive whose first entry was `root`, after it was renamed; undefined for the root without a name. */
export function renamed(entry: string, root: string, name: string): string | undefined {
  const plain = trimmed(entry);
  const below = plain === root ? '' : root === '' ? plain : plain.slice(root.length + 1);
  return [name, below].filter((part) => part !== '').join('/') || undefined;
}

/** The path of an entry without leading `./` and trailing `/`. */
export function trimmed(entry: string): string {
  return entry
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '')
    .replace(/^\.$/, '');
}

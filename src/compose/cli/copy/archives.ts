/** Local files to archives, and archives to local files. Loaded by `cp` only, because it needs the package `tar`. */
import { lstat, realpath, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, Parser, Unpack, type ReadEntry } from 'tar';
import { UsageError } from '../failures.js';
import { placement, renamed, trimmed, type Source, type Target } from './placement.js';

/** @throws UsageError when there is no such file */
export async function localSource(file: string, followsLink: boolean): Promise<Source> {
  const isContents = /(?:^|\/)\.$/.test(file);
  try {
    const found = await (followsLink || file.endsWith('/') ? stat(file) : lstat(file));
    return { name: path.basename(path.resolve(file)), isDirectory: found.isDirectory(), isContents };
  } catch {
    throw new UsageError(`There is no file '${file}'.`);
  }
}

export async function localTarget(file: string): Promise<Target> {
  const found = await stat(file).catch(() => undefined);
  return { path: file, kind: found === undefined ? 'missing' : found.isDirectory() ? 'directory' : 'file' };
}

/** @param name of the source in the archive; empty: only its contents */
export function archiveOfLocal(file: string, name: string, followsLink: boolean): AsyncIterable<Uint8Array> {
  const whole = path.resolve(file);
  const root = path.basename(whole);
  const rename = (entry: string): string => renamed(entry, root, name) ?? '.';
  return create(
    {
      cwd: path.dirname(whole),
      follow: followsLink,
      preservePaths: true,
      onWriteEntry: (entry) => {
        entry.path = rename(entry.path);
        if (entry.type === 'Link' && entry.linkpath !== undefined) entry.linkpath = rename(entry.linkpath);
      },
    },
    [root === '' ? '.' : root],
  );
}

/** The first entry of an archive. */
export async function firstEntry(
  archive: AsyncIterable<Uint8Array>,
): Promise<{ readonly name: string; readonly isDirectory: boolean; readonly link: string | undefined } | undefined> {
  const found: ReadEntry[] = [];
  const parser = new Parser({
    onReadEntry: (entry) => {
      found.push(entry);
      entry.resume();
    },
  });
  // Leaving the iteration ends the download.
  for await (const chunk of archive) {
    parser.write(Buffer.from(chunk));
    if (found.length > 0) break;
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const link = first.type === 'SymbolicLink' ? (first.linkpath ?? '') : undefined;
  return { name: trimmed(first.path), isDirectory: first.type === 'Directory', link };
}

/**
 * Unpacks an archive whose first entry is the source. Entries stay inside the target: the package refuses others, and
 * does not write through symbolic links.
 *
 * @param keepsOwners only root can
 */
export async function unpackLocally(
  archive: AsyncIterable<Uint8Array>,
  { isContents }: Pick<Source, 'isContents'>,
  target: Target,
  keepsOwners: boolean,
): Promise<void> {
  const parts = archive[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  const first = await firstEntry(
    (async function* () {
      for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
        head.push(next.value);
        yield next.value;
      }
    })(),
  );
  if (first === undefined) return;
  const from = first.name;
  const { directory, name } = placement({ ...first, name: path.posix.basename(from), isContents }, target);
  const links = new Map<string, string>();
  const failures: string[] = [];
  const unpack = new Unpack({
    cwd: directory,
    preserveOwner: keepsOwners,
    chmod: true,
    filter: (entryPath, entry) => {
      const file = renamed(entryPath, from, name);
      const link = 'linkpath' in entry && entry.type === 'SymbolicLink' ? entry.linkpath : undefined;
      if (file === undefined || !link?.startsWith('/')) return file !== undefined;
      links.set(file, link);
      return false;
    },
    onwarn: (code, message) => {
      if (code !== 'TAR_ENTRY_INFO') failures.push(message);
    },
    onReadEntry: (entry) => {
      entry.path = renamed(entry.path, from, name) ?? '.';
      if (entry.type === 'Link' && entry.linkpath !== undefined) {
        entry.linkpath = renamed(entry.linkpath, from, name) ?? '.';
      }
    },
  });
  await pipeline(
    Readable.from(
      (async function* () {
        yield* head;
        for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
      })(),
      { objectMode: false },
    ),
    unpack,
  ).catch((error: unknown) => {
    throw isFileError(error) ? new UsageError(`Cannot write below '${directory}': ${error.message}`) : error;
  });
  for (const [file, link] of links) await makeLink(path.resolve(directory, file), link, directory);
  const [failed] = failures;
  if (failed !== undefined) throw new UsageError(`Not everything could be written to '${target.path}': ${failed}`);
}

/** The package would change an absolute link to a relative one. */
async function makeLink(file: string, link: string, directory: string): Promise<void> {
  const parent = await realpath(path.dirname(file));
  const root = await realpath(directory);
  if (parent !== root && !parent.startsWith(`${root}${path.sep}`)) {
    throw new UsageError(`'${file}' is outside '${directory}'.`);
  }
  await rm(file, { force: true });
  await symlink(link, file);
}

function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

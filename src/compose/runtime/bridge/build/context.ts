/** Streams a directory to the engine as a tar archive. */
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { tarEnd, tarHeader, tarPadding } from '../../tar.js';
import { hasExceptions, ignoreRule, type IgnoreRule } from '../../ignore-file.js';

export interface BuildContext {
  readonly archive: Readable;
  /** The Dockerfile's path inside the archive. */
  readonly dockerfile: string;
  /** The Dockerfile itself. */
  readonly text: string;
}

const IGNORE_FILE = '.dockerignore';

/** Returns undefined when the Dockerfile does not exist. Streams at the engine's pace, so memory use is constant. */
export async function buildContext(
  directory: string,
  dockerfile: string,
  inline: string | undefined,
): Promise<BuildContext | undefined> {
  const path = resolve(directory, dockerfile);
  const text = inline === undefined ? await readFile(path).catch(() => undefined) : Buffer.from(inline);
  if (text === undefined) return undefined;
  const inside = relative(directory, path);
  // An inline Dockerfile, or one outside the context, is sent under a name that no context uses.
  const foreign = inline !== undefined || inside.startsWith('..') || isAbsolute(inside);
  const name = foreign ? `.dockerfile.${process.pid}.${Date.now().toString(36)}` : inside.replaceAll('\\', '/');
  return {
    archive: Readable.from(archive(directory, name, foreign, text), { objectMode: false }),
    dockerfile: name,
    text: text.toString('utf8'),
  };
}

/**
 * The Dockerfile and the ignore file are sent even when they are ignored. The engine needs them and removes them before
 * it copies anything.
 */
async function* archive(
  directory: string,
  dockerfile: string,
  foreign: boolean,
  text: Buffer,
): AsyncGenerator<Buffer, void> {
  // `<Dockerfile>.dockerignore` beside the Dockerfile takes precedence over `.dockerignore` of the context.
  const rules =
    (await readFile(join(directory, `${dockerfile}.dockerignore`), 'utf8').catch(() => undefined)) ??
    (await readFile(join(directory, IGNORE_FILE), 'utf8').catch(() => undefined));
  const sent = foreign ? `${rules ?? IGNORE_FILE}\n${dockerfile}\n` : rules;
  if (sent !== undefined) yield* content(IGNORE_FILE, Buffer.from(sent));
  yield* content(dockerfile, text);
  const ignored = ignoreRule(rules ?? '');
  const skipped = (path: string): boolean => path === dockerfile || path === IGNORE_FILE || ignored(path);
  yield* entries(directory, '', skipped, hasExceptions(rules ?? ''));
  yield tarEnd;
}

function* content(path: string, data: Buffer): Generator<Buffer, void> {
  yield tarHeader({ path, type: 'file', size: data.length, mode: 0o644 });
  yield data;
  yield tarPadding(data.length);
}

async function* entries(
  root: string,
  below: string,
  ignored: IgnoreRule,
  lookInside: boolean,
): AsyncGenerator<Buffer, void> {
  const names = (await readdir(join(root, below))).sort();
  for (const name of names) {
    const path = below === '' ? name : `${below}/${name}`;
    const skip = ignored(path);
    if (skip && !lookInside) continue;
    const stats = await lstat(join(root, path));
    const common = { path, mode: stats.mode, modifiedAt: stats.mtimeMs / 1000 };
    if (stats.isDirectory()) {
      if (!skip) yield tarHeader({ ...common, type: 'directory', size: 0 });
      yield* entries(root, path, ignored, lookInside);
    } else if (skip) continue;
    else if (stats.isSymbolicLink()) {
      yield tarHeader({ ...common, type: 'symlink', size: 0, target: await readlink(join(root, path)) });
    } else if (stats.isFile()) yield* file(join(root, path), { ...common, type: 'file', size: stats.size });
    // Skip sockets, pipes and devices.
  }
}

/** Sends exactly the announced size: truncates a file that grows meanwhile, pads one that shrinks with zeros. */
async function* file(path: string, entry: Parameters<typeof tarHeader>[0]): AsyncGenerator<Buffer, void> {
  yield tarHeader(entry);
  let left = entry.size;
  if (left > 0) {
    for await (const chunk of createReadStream(path, { end: left - 1 })) {
      const data = chunk as Buffer; // No encoding is set.
      left -= data.length;
      yield data;
    }
  }
  if (left > 0) yield Buffer.alloc(left);
  yield tarPadding(entry.size);
}

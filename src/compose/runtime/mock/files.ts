/** The files of the mock's containers: only those that were put into them. */
import path from 'node:path';
import { Parser, type ReadEntry } from 'tar';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import { notFound } from '../errors.js';
import { tarOf } from '../tar.js';
import type { MockContainer, MockFile } from './mock-state.js';

/** Directories that every container has. */
const DIRECTORIES = ['/', '/etc', '/tmp'];

const DIRECTORY: MockFile = { type: 'directory', mode: 0o755, content: new Uint8Array() };

export async function unpack(
  container: MockContainer,
  directory: string,
  archive: AsyncIterable<Uint8Array>,
): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of archive) parts.push(part);
  const whole = Buffer.concat(parts);
  if (!exists(container, normal(directory))) throw notFound(directory);
  container.archives.push(whole);
  for (const { name, file } of await filesIn(whole))
    container.files.set(normal(path.posix.join(directory, name)), file);
}

/** The first entry is the path itself. */
export function archiveOf(container: MockContainer, wanted: string): AsyncIterable<Uint8Array> {
  const root = normal(wanted);
  if (!exists(container, root)) throw notFound(wanted);
  const found = entriesBelow(container, root);
  const own = container.files.get(root) ?? DIRECTORY;
  const name = root === '/' ? '.' : path.posix.basename(root);
  const entries = [
    { name, file: own },
    ...found
      .filter(([each]) => each !== root)
      .map(([each, file]) => ({ name: name + each.slice(root === '/' ? 0 : root.length), file })),
  ];
  const archive = tarOf(
    entries.map(({ name: entry, file: { content, ...rest } }) => ({
      entry: { path: entry, size: content.length, ...rest },
      content,
    })),
  );
  return toAsyncIterable([archive]);
}

function exists(container: MockContainer, file: string): boolean {
  return DIRECTORIES.includes(file) || entriesBelow(container, file).length > 0;
}

function entriesBelow({ files }: MockContainer, root: string): [string, MockFile][] {
  const inside = root === '/' ? '/' : `${root}/`;
  return [...files]
    .filter(([each]) => each === root || each.startsWith(inside))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function normal(file: string): string {
  return path.posix.resolve('/', file);
}

async function filesIn(archive: Uint8Array): Promise<{ name: string; file: MockFile }[]> {
  const found: { name: string; file: MockFile }[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        const parts: Buffer[] = [];
        entry.on('data', (data: Buffer) => parts.push(data));
        entry.on('end', () => found.push({ name: entry.path, file: fileOf(entry, Buffer.concat(parts)) }));
      },
    });
    parser.on('end', resolve);
    parser.on('error', reject);
    parser.end(Buffer.from(archive));
  });
  return found;
}

function fileOf(entry: ReadEntry, content: Uint8Array): MockFile {
  const { type, mode = 0o644, linkpath } = entry;
  if (type === 'Directory') return { ...DIRECTORY, mode };
  if (type === 'SymbolicLink') return { type: 'symlink', mode, content, target: linkpath ?? '' };
  return { type: 'file', mode, content };
}

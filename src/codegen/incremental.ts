/**
 * Skips what would be generated as it is: a part whose sources and generator are unchanged and whose files are as they
 * were written, and the formatting of a file whose text is unchanged.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GeneratedFiles, GeneratedPart } from './generated-part.js';

/** What was generated last, by part. Everything is a hash, which includes that of the generator. */
export type GenerationRecord = Readonly<Record<string, PartRecord>>;

interface PartRecord {
  readonly sources: string;
  /** By path: the text before it was formatted, and the file. */
  readonly files: Readonly<Record<string, { readonly draft: string; readonly text: string }>>;
}

/** A cache: without it, everything is generated. */
const recordFile = '.cache/generation.json';

export async function readRecord(): Promise<GenerationRecord> {
  const text = await readFile(recordFile, 'utf8').catch(() => '{}');
  return JSON.parse(text) as GenerationRecord; // Written below.
}

export async function writeRecord(record: GenerationRecord): Promise<void> {
  await mkdir(dirname(recordFile), { recursive: true });
  await writeFile(recordFile, JSON.stringify(record));
}

export interface Generation {
  readonly files: GeneratedFiles;
  readonly record: GenerationRecord;
  /** The names of the parts that were made, not skipped. */
  readonly made: readonly string[];
}

/**
 * Generates all parts, without those that `last` shows to be unchanged.
 *
 * @param last what was generated last; an empty record generates everything
 * @throws Error of the first part that cannot be generated, when all have ended
 */
export async function generateParts(parts: readonly GeneratedPart[], last: GenerationRecord): Promise<Generation> {
  const generator = await hashOfGenerator();
  const results = await Promise.allSettled(parts.map((part) => generatePart(part, generator, last[part.name])));
  const done = results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  return {
    files: new Map(done.flatMap(({ files }) => [...files])),
    record: Object.fromEntries(done.map(({ name, record }) => [name, record])),
    made: done.filter(({ isMade }) => isMade).map(({ name }) => name),
  };
}

interface PartGeneration {
  readonly name: string;
  readonly files: GeneratedFiles;
  readonly record: PartRecord;
  readonly isMade: boolean;
}

async function generatePart(
  { name, sources, draft }: GeneratedPart,
  generator: string,
  last: PartRecord | undefined,
): Promise<PartGeneration> {
  const texts = await Promise.all(sources.map(async (path) => `${path}\0${await readFile(path, 'utf8')}`));
  const sourcesHash = hashOf(generator, ...texts);
  const current = await unchangedFiles(last);
  if (last?.sources === sourcesHash && current.size === Object.keys(last.files).length) {
    return { name, files: current, record: last, isMade: false };
  }
  const files: GeneratedFiles = new Map();
  const noted: Record<string, { draft: string; text: string }> = {};
  for (const [path, text] of await draft()) {
    const draftHash = hashOf(generator, text);
    const same = last?.files[path]?.draft === draftHash ? current.get(path) : undefined;
    const final = same ?? (await formatted(path, text));
    files.set(path, final);
    noted[path] = { draft: draftHash, text: hashOf(final) };
  }
  return { name, files, record: { sources: sourcesHash, files: noted }, isMade: true };
}

/** The files of a part that are on disk as they were written. */
async function unchangedFiles(part: PartRecord | undefined): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  for (const [path, { text }] of Object.entries(part?.files ?? {})) {
    const onDisk = await readFile(path, 'utf8').catch(() => null);
    if (onDisk !== null && hashOf(onDisk) === text) files.set(path, onDisk);
  }
  return files;
}

/** What TypeScript's printer has written is readable as it is, and is most of the text. */
const isPrinted = (path: string): boolean => /\/(?:openapi|problem-schemas)\.ts$/.test(path);

/** By file extension. "babel-ts" has the same output as "typescript", for two thirds of the time. */
const parsers: Readonly<Record<string, string>> = { '.ts': 'babel-ts', '.json': 'json' };

async function formatted(path: string, text: string): Promise<string> {
  const parser = parsers[extname(path)];
  if (parser === undefined || isPrinted(path)) return text;
  const { format, resolveConfig } = await import('prettier');
  return format(text, { ...(await resolveConfig('.prettierrc.json')), parser });
}

/** The hash of this folder, of the settings, and of the libraries' versions. */
async function hashOfGenerator(): Promise<string> {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const own = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/^(?:build|dist)\//.test(relative(folder, path)));
  const lock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
  const settings = ['.prettierrc.json', 'redocly.yaml'];
  const texts = [...own.sort(), lock, ...settings].map((path) => readFile(path, 'utf8').catch(() => ''));
  return hashOf(...(await Promise.all(texts)));
}

function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

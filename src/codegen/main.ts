#!/usr/bin/env node
/**
 * `npm run generate`, or `plumbline-codegen` in another repository, writes all files that are derived from the contracts, and skips what is unchanged. With `--check`
 * (`npm run check:generated`) it generates everything, writes nothing, and fails when a file on disk differs from the
 * generated one.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compileSchemas, isCompiled } from './emit/compile-schemas.js';
import type { GeneratedFiles } from './generated-part.js';
import { generateParts, readRecord, writeRecord } from './incremental.js';
import { generatedParts } from './parts.js';
import { stampOf } from './stamp.js';

/** Folders in which every file is generated. */
const ownedFolders = ['generated', 'sdk/src/generated'];

try {
  await (process.argv.includes('--check') ? check() : update());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function update(): Promise<void> {
  const { files, record, made } = await generateParts(await generatedParts(), await readRecord());
  files.set('generated/stamp.json', await stampOf());
  const written = await write(files);
  await writeRecord(record);
  await compileSchemas();
  const parts = made.length === 0 ? 'every part is unchanged' : `made ${made.join(', ')}`;
  console.log(`Wrote ${written} of ${files.size} files (${parts}).`);
}

async function check(): Promise<void> {
  const { files } = await generateParts(await generatedParts(), {});
  files.set('generated/stamp.json', await stampOf());
  const stale = await staleFiles(files);
  if (stale.length > 0) {
    console.error(`Generated files differ from the contracts; run: npm run generate\n${stale.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(`${files.size} generated files are up to date.`);
  }
}

/** Writes the files that differ, and removes others. Returns how many it wrote. */
async function write(all: GeneratedFiles): Promise<number> {
  for (const orphan of await orphans(all)) await rm(orphan);
  let written = 0;
  for (const [path, text] of all) {
    if (text === (await readFile(path, 'utf8').catch(() => null))) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    written += 1;
  }
  return written;
}

async function staleFiles(all: GeneratedFiles): Promise<string[]> {
  const differing: string[] = [];
  for (const [path, text] of all) {
    const onDisk = await readFile(path, 'utf8').catch(() => null);
    if (onDisk !== text) differing.push(onDisk === null ? `${path} (missing)` : path);
  }
  return [...differing, ...(await orphans(all)).map((path) => `${path} (not generated from any contract)`)];
}

async function orphans(all: GeneratedFiles): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ownedFolders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${entry.parentPath}/${entry.name}`;
      if (entry.isFile() && !all.has(path) && !(isCompiled(path) && all.has(`${entry.parentPath}/openapi.json`)))
        found.push(path);
    }
  }
  return found;
}

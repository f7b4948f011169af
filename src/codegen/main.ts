/**
 * `npm run generate` writes all files that are derived from the contracts. With `--check` (`npm run check:generated`) it
 * writes nothing and fails when a file on disk differs from the generated one.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { compileSchemas, isCompiled } from './compile-schemas.js';
import { generate, type GeneratedFiles } from './generate.js';
import { generateGraphql } from './graphql/generate-graphql.js';

/** Folders in which every file is generated. */
const ownedFolders = ['generated', 'sdk/src/generated'];

const files = await generate(await contractNames());
for (const [path, text] of await generateGraphql()) files.set(path, text);
if (process.argv.includes('--check')) {
  const stale = await staleFiles(files);
  if (stale.length > 0) {
    console.error(`Generated files differ from the contracts; run: npm run generate\n${stale.join('\n')}`);
    process.exitCode = 1;
  } else {
    console.log(`${files.size} generated files are up to date.`);
  }
} else {
  await write(files);
  await compileSchemas();
  console.log(`Wrote ${files.size} files.`);
}

/** Every file of `openapi/` that has paths is the contract of one API. */
async function contractNames(): Promise<string[]> {
  const names: string[] = [];
  for (const file of (await readdir('openapi')).filter((each) => each.endsWith('.yaml')).sort()) {
    const document: unknown = parse(await readFile(`openapi/${file}`, 'utf8'));
    if (typeof document === 'object' && document !== null && 'paths' in document) names.push(file.slice(0, -5));
  }
  return names;
}

async function write(all: GeneratedFiles): Promise<void> {
  for (const orphan of await orphans(all)) await rm(orphan);
  for (const [path, text] of all) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
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

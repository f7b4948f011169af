import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { OpenApiDocument } from '../read/openapi-document.js';

/**
 * The compiled modules of an API. They are build output that git ignores: together they are 40,000 lines for each API,
 * which are not read, and which one new operation would change in a thousand places.
 */
export const isCompiled = (path: string): boolean => /^generated\/[^/]+\/(?:validators|serializers)\.js$/.test(path);

/** What the modules are made by, in addition to the libraries. */
const emitters = ['validators', 'serializers', 'standalone-module'].map(
  (name) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url),
);

/**
 * Compiles `generated/<api>/openapi.json` of every API to `validators.js` and `serializers.js` beside it. Modules that
 * were made from the same contract by the same emitters stay as they are.
 */
export async function compileSchemas(): Promise<void> {
  const maker = await Promise.all(emitters.map((file) => readFile(file)));
  for (const name of await apis()) {
    const folder = `generated/${name}`;
    const text = await readFile(`${folder}/openapi.json`, 'utf8');
    const hash = [text, ...maker].reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex');
    const mark = `\n// Compiled from ${hash}\n`;
    if (await areCompiled(folder, mark)) continue;
    const document = JSON.parse(text) as OpenApiDocument; // Written by `generate`, from a contract that lint accepts.
    await compile(name, document, mark);
  }
}

/** Loads the compilers, which takes longer than to find that nothing has changed. */
async function compile(name: string, document: OpenApiDocument, mark: string): Promise<void> {
  const { emitSerializers } = await import('./serializers.js');
  const { emitValidators } = await import('./validators.js');
  const { readContract } = await import('../read/read-contract.js');
  const contract = readContract(name, document);
  await writeFile(`generated/${name}/validators.js`, (await emitValidators(contract)) + mark);
  await writeFile(`generated/${name}/serializers.js`, (await emitSerializers(contract)) + mark);
}

async function apis(): Promise<string[]> {
  const entries = await readdir('generated', { recursive: true, withFileTypes: true });
  const contracts = entries.filter((entry) => entry.isFile() && entry.name === 'openapi.json');
  return contracts.map(({ parentPath }) => parentPath.replace(/^generated[\\/]/, '')).sort();
}

async function areCompiled(folder: string, mark: string): Promise<boolean> {
  const texts = await Promise.all(
    ['validators', 'serializers'].map((name) => readFile(`${folder}/${name}.js`, 'utf8').catch(() => '')),
  );
  return texts.every((text) => text.endsWith(mark));
}

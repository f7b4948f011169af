import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { importCycles, readImportGraph } from './import-graph.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-cycles-'));
  return () => rm(folder, { recursive: true });
});

/** Writes files for the time of one test. */
async function plant(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  onTestFinished(async () => {
    for (const name of Object.keys(files)) await rm(join(folder, name));
  });
}

test.each(['src', 'sdk/src', 'test'])('No file of %s imports itself through others, not even for types', (root) => {
  const graph = readImportGraph(root);
  expect(graph.size).toBeGreaterThan(20);
  expect(importCycles(graph)).toEqual([]);
});

test.each([
  ['values', "import { b } from './b.js';\nexport const a = b;\n"],
  ['types', "import type { b } from './b.js';\nexport type a = typeof b;\n"],
  ['lazily loaded values', "export const a = () => import('./b.js');\n"],
])('A cycle through %s is found', async (_, text) => {
  await plant({ 'a.ts': text, 'b.ts': "import { c } from './c.js';\nexport const b = c;\n" });
  await plant({ 'c.ts': "import * as a from './a.js';\nexport const c: unknown = a;\n" });
  expect(importCycles(readImportGraph(folder))).toEqual([
    ['a.ts', 'b.ts', 'c.ts', 'a.ts'].map((name) => join(folder, name)),
  ]);
});

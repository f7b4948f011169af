import { readdir, readFile, stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { builtCommand } from '../cli/built-command.js';

/** In bytes of gzip, as the README of the console states them. */
const budget = { firstLoad: 60_000, chunk: 40_000, everything: 200_000, styles: 12_000 };

const folder = 'dist/console/assets';
let page: string;
let sizes: ReadonlyMap<string, number>;

beforeAll(async () => {
  await builtCommand();
  page = await readFile('dist/console/index.html', 'utf8');
  const files = (await readdir(folder)).filter((file) => !/\.(gz|br)$/.test(file));
  sizes = new Map(
    await Promise.all(
      files.map(async (file) => [file, gzipSync(await readFile(`${folder}/${file}`), { level: 9 }).length] as const),
    ),
  );
});

const sum = (files: readonly string[]): number => files.reduce((total, file) => total + (sizes.get(file) ?? 0), 0);

test('the first load is within its budget: the page and all its resources', () => {
  const named = [...page.matchAll(/\/console\/assets\/([\w.-]+)/g)].map(([, file]) => file ?? '');
  expect(named.length).toBeGreaterThan(2);
  expect([...sizes.keys()]).toEqual(expect.arrayContaining(named));
  expect(gzipSync(page).length + sum(named)).toBeLessThanOrEqual(budget.firstLoad);
});

test('each file, all files together, and the styles are within their budgets', () => {
  const files = [...sizes.keys()];
  expect(files.filter((file) => (sizes.get(file) ?? 0) > budget.chunk)).toEqual([]);
  expect(sum(files)).toBeLessThanOrEqual(budget.everything);
  expect(sum(files.filter((file) => file.endsWith('.css')))).toBeLessThanOrEqual(budget.styles);
});

test('every asset has a precompressed file', async () => {
  for (const file of sizes.keys()) {
    for (const suffix of ['.gz', '.br']) expect((await stat(`${folder}/${file}${suffix}`)).size).toBeGreaterThan(0);
  }
});

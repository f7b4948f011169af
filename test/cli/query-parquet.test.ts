import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { persistedQueries } from '../../generated/graphql/schema.js';
import { fieldTypes, openParquet } from '../../src/cli/query-parquet.js';
import type { JsonObject } from '../../src/cli/query-rows.js';
import { pyarrowMissing, readParquet } from '../support/pyarrow.js';

const query = persistedQueries['work-units'].text;

/** A row as `work-units` returns it. */
function row(index: number): JsonObject {
  return {
    id: `unit ${index}`,
    title: index % 3 === 0 ? null : `Größe "${index}"`,
    day: '2026-03-01',
    // Unknown in the first row group.
    churnLoc: index < 15_000 ? null : index,
    cycleTimeHours: index / 8,
    shares: [{ subcategory: 'quality.testing', share: 1 }],
  };
}

function file(chunks: readonly Uint8Array[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-parquet-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'rows.parquet');
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

test('The types of columns are those of the schema, also where all values are unknown', () => {
  const types = fieldTypes(query);
  const names = ['id', 'day', 'churnLoc', 'cycleTimeHours', 'shares'];
  expect(names.map((name) => types.get(name))).toEqual(['text', 'date', 'integer', 'number', 'text']);
});

test('Rows are written while others are still read, and the file begins and ends as Parquet does', async () => {
  const chunks: Uint8Array[] = [];
  const parquet = openParquet(query, (bytes) => Promise.resolve(chunks.push(bytes) > 0));
  const written: number[] = [];
  for (let page = 0; page < 25; page += 1) {
    await parquet.add(Array.from({ length: 1000 }, (_, index) => row(page * 1000 + index)));
    written.push(chunks.length);
  }
  await parquet.end();
  expect([8, 9, 18, 19, 24].map((page) => written[page])).toEqual([0, 1, 1, 2, 2]);
  const bytes = Buffer.concat(chunks);
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
});

const skipped = pyarrowMissing === null ? '' : ` (skipped: ${pyarrowMissing})`;
test.skipIf(pyarrowMissing !== null)(`Another implementation reads every row and type${skipped}`, async () => {
  const chunks: Uint8Array[] = [];
  const parquet = openParquet(query, (bytes) => Promise.resolve(chunks.push(bytes) > 0));
  for (let page = 0; page < 25; page += 1)
    await parquet.add(Array.from({ length: 1000 }, (_, index) => row(page * 1000 + index)));
  await parquet.end();
  const { groups, types, rows } = await readParquet(file(chunks));
  expect(groups).toBe(3);
  expect(types).toEqual({
    id: 'string',
    title: 'string',
    day: 'date32[day]',
    churnLoc: 'int32',
    cycleTimeHours: 'double',
    shares: 'string',
  });
  expect(rows).toHaveLength(25_000);
  for (const index of [0, 1, 9_999, 10_000, 14_999, 15_000, 24_999])
    expect(rows[index]).toEqual({ ...row(index), shares: JSON.stringify(row(index)['shares']) });
});

test('A result without rows is refused, because Parquet needs columns', async () => {
  const parquet = openParquet(query, () => Promise.resolve(true));
  await parquet.add([]);
  await expect(parquet.end()).rejects.toThrow('the result has no rows');
});

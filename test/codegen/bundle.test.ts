import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleContract } from '../../src/codegen/read/bundle.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes files, and bundles the first. */
async function bundle(files: Readonly<Record<string, string>>): Promise<unknown> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return bundleContract(join(folder, Object.keys(files)[0] ?? ''));
}

function contract(reference: string): string {
  return `openapi: 3.1.0
info: { title: T, version: '1' }
paths:
  /a:
    $ref: ${reference}
`;
}

function place(name: string): string {
  return relative('', join(folder, name));
}

test('A reference to no place fails with the file, the line and the reference', async () => {
  const bundled = bundle({ 'contract.yaml': contract('part.yaml#/B'), 'part.yaml': 'A: {}\n' });
  await expect(bundled).rejects.toThrow(`${place('contract.yaml')}:5:5 Can't resolve $ref: $ref: part.yaml#/B`);
});

test('A reference to no file fails with the place of the reference', async () => {
  const bundled = bundle({ 'contract.yaml': contract('none.yaml#/A') });
  await expect(bundled).rejects.toThrow(`${place('contract.yaml')}:5:5 Can't resolve $ref`);
});

test('A file that is not YAML fails with its name and line', async () => {
  const bundled = bundle({ 'contract.yaml': contract('broken.yaml#/A'), 'broken.yaml': 'A: {\n' });
  await expect(bundled).rejects.toThrow(`${place('broken.yaml')}:2:1`);
  await expect(bundle({ 'contract.yaml': 'openapi: {\n' })).rejects.toThrow('contract.yaml');
});

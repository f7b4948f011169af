import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { record } from '../../src/contract-tools/documents.js';

async function json(file: string): Promise<Readonly<Record<string, unknown>>> {
  return record(JSON.parse(await readFile(file, 'utf8')));
}

/** The names of the packages whose versions a list of overrides chooses. */
function overridden(overrides: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(overrides).flatMap(([name, value]) =>
    typeof value === 'string' ? [name] : overridden(record(value)),
  );
}

test('Every package is what its name says: the lockfile has no alias but that of the second TypeScript', async () => {
  const packages = Object.entries(record((await json('package-lock.json'))['packages']));
  const aliases = packages.flatMap(([path, entry]) => {
    const { name } = record(entry);
    return typeof name === 'string' && path.includes('node_modules/') && !path.endsWith(`/${name}`) ? [path] : [];
  });
  expect(packages.length).toBeGreaterThan(500);
  expect(aliases).toEqual(['node_modules/typescript-7']);
});

test('No override changes what an installed package gets, and each has its reason in DEPENDENCIES.md', async () => {
  const names = overridden(record((await json('package.json'))['overrides']));
  const packages = Object.entries(record((await json('package-lock.json'))['packages']));
  const installed = names.filter((name) =>
    packages.some(([path, entry]) => path.endsWith(`node_modules/${name}`) && record(entry)['dev'] !== true),
  );
  expect(installed).toEqual([]);
  const reasons = await readFile('src/DEPENDENCIES.md', 'utf8');
  expect(names.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
});

test('No install script runs: each package that has one is denied', async () => {
  const packages = Object.entries(record((await json('package-lock.json'))['packages']));
  const scripted = packages.flatMap(([path, entry]) =>
    path !== '' && record(entry)['hasInstallScript'] === true ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  const { allowScripts } = await json('package.json');
  expect(record(allowScripts)).toEqual(Object.fromEntries(scripted.map((name) => [name, false])));
});

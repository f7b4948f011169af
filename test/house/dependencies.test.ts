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

/** The names of what npm installs with the packages of some folders, by the lockfile. */
function installedWith(folders: readonly string[], packages: Readonly<Record<string, unknown>>): Set<string> {
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const entry = record(packages[path]);
    if (typeof entry['resolved'] === 'string' && entry['link'] === true) visit(entry['resolved']);
    for (const name of Object.keys({
      ...record(entry['dependencies'] ?? {}),
      ...record(entry['optionalDependencies'] ?? {}),
    })) {
      const found = placesOf(name, path).find((place) => place in packages);
      if (found !== undefined) visit(found);
    }
  };
  for (const folder of folders) visit(folder);
  return new Set([...visited].map((path) => path.replace(/^.*node_modules\//, '')));
}

/** Where Node.js looks for a package, from the nearest folder to the farthest. */
function placesOf(name: string, from: string): string[] {
  const parts = from.split('/node_modules/');
  return parts
    .map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`)
    .map((place) => place.replace(/^\//, ''));
}

// What the generator installs for its users is tested without overrides by installed-packages.slow.test.ts.
test('No override changes what an installed package gets, and each has its reason in DEPENDENCIES.md', async () => {
  const names = overridden(record((await json('package.json'))['overrides']));
  const packages = record((await json('package-lock.json'))['packages']);
  const published = ['', 'sdk', 'src/contract', 'src/contract-tools', 'src/compose'];
  const installed = installedWith(published, packages);
  expect(installed.size).toBeGreaterThan(100);
  expect(names.filter((name) => installed.has(name))).toEqual([]);
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

import { readdir, readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { settingDescriptions } from '../src/platform/settings.js';

test('the README of the Platform lists every setting with its default', async () => {
  const rows = settingDescriptions.map(
    ({ name, defaultText, description }) =>
      `| \`${name}\` | ${defaultText === '' ? 'none' : defaultText} | ${description} |`,
  );
  const table = ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
  const expected = await format(table, { parser: 'markdown', printWidth: 120 });
  expect((await section('src/platform/README.md', 'settings')).trim()).toBe(expected.trim());
});

test('the architecture README lists every dependency', async () => {
  const listed = [...(await section('src/README.md', 'dependencies')).matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name]) => name,
  );
  const names = { ...manifest.dependencies, ...manifest.optionalDependencies };
  expect(listed.sort()).toEqual(Object.keys(names).sort());
});

test('the architecture README lists every package that is bundled into the console', async () => {
  const rows = (await section('src/README.md', 'bundled')).matchAll(/^\| `([^`]+)`/gm);
  const listed = [...rows].map(([, name]) => name);
  const entries = await readdir('src/console', { recursive: true, withFileTypes: true });
  const sources = entries.filter(({ name }) => /\.tsx?$/.test(name));
  const texts = await Promise.all(sources.map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, 'utf8')));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from '((?:@[\w-]+\/)?\w[\w-]*)/g)].map(([, name = '']) => name),
  );
  const bundled = new Set(imported.filter((name) => name !== '@plumbline/sdk'));
  expect(listed.sort()).toEqual([...bundled].sort());
  expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining(listed));
});

async function section(file: string, name: string): Promise<string> {
  const readme = await readFile(file, 'utf8');
  return readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
}

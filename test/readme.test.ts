import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import compose from '../src/compose/package.json' with { type: 'json' };
import consolePages from '../src/console/package.json' with { type: 'json' };
import contractTools from '../src/contract-tools/package.json' with { type: 'json' };
import contract from '../src/contract/package.json' with { type: 'json' };
import { settingDescriptions } from '../src/platform/server/settings.js';

test('src/platform/SETTINGS.md lists every setting with its default', async () => {
  const rows = settingDescriptions.map(
    ({ name, defaultText, description }) =>
      `| \`${name}\` | ${defaultText === '' ? 'none' : defaultText} | ${description} |`,
  );
  const table = ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
  const expected = await format(table, { parser: 'markdown', printWidth: 120 });
  expect((await section('src/platform/SETTINGS.md', 'settings')).trim()).toBe(expected.trim());
});

test('src/DEPENDENCIES.md lists every dependency of the product and of its packages', async () => {
  const listed = [...(await section('src/DEPENDENCIES.md', 'dependencies')).matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name]) => name,
  );
  const named = [manifest, contract, contractTools, compose].flatMap(({ dependencies }) => Object.keys(dependencies));
  const libraries = new Set(named.filter((name) => !/^@(?:plumbline|types)\//.test(name)));
  expect(listed.sort()).toEqual([...libraries].sort());
});

test('src/DEPENDENCIES.md lists every package that is bundled into the console', async () => {
  const rows = (await section('src/DEPENDENCIES.md', 'bundled')).matchAll(/^\| `([^`]+)`/gm);
  const listed = [...rows].map(([, name]) => name);
  const entries = await readdir('src/console', { recursive: true, withFileTypes: true });
  const sources = entries.filter(({ name }) => /\.tsx?$/.test(name));
  const texts = await Promise.all(sources.map(({ parentPath, name }) => readFile(`${parentPath}/${name}`, 'utf8')));
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/from '((?:@[\w-]+\/)?\w[\w-]*)/g)].map(([, name = '']) => name),
  );
  const bundled = new Set(imported.filter((name) => name !== '@plumbline/sdk'));
  expect(listed.sort()).toEqual([...bundled].sort());
  expect(Object.keys(consolePages.devDependencies)).toEqual(expect.arrayContaining(listed));
});

const pages = execFileSync('git', ['ls-files', '*.md', ':!test'], { encoding: 'utf8' }).trim().split('\n');

test.each(pages)('the links of %s lead to files of the repository', async (page) => {
  const links = [...(await readFile(page, 'utf8')).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => to);
  expect(links.filter((to) => !existsSync(join(dirname(page), to)))).toEqual([]);
});

test.each(pages)('the files and folders that %s names exist', async (page) => {
  const text = await readFile(page, 'utf8');
  const named = [...text.matchAll(/`((?:src|test|sdk|openapi|graphql)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test('the walks of the architecture name files that exist', async () => {
  const text = await readFile('src/README.md', 'utf8');
  const walks = text.split('## Five walks')[1]?.split('\n## ')[0] ?? '';
  const named = [...walks.matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path) && !existsSync(join('src', path)))).toEqual([]);
});

async function section(file: string, name: string): Promise<string> {
  const readme = await readFile(file, 'utf8');
  return readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
}

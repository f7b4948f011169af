import { readFile } from 'node:fs/promises';
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

async function section(file: string, name: string): Promise<string> {
  const readme = await readFile(file, 'utf8');
  return readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
}

import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { settingDescriptions } from '../src/platform/settings.js';

const readme = await readFile('README.md', 'utf8');

test('the README lists every setting with its default', async () => {
  const rows = settingDescriptions.map(
    ({ name, defaultText, description }) =>
      `| \`${name}\` | ${defaultText === '' ? 'none' : defaultText} | ${description} |`,
  );
  const table = ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
  const expected = await format(table, { parser: 'markdown', printWidth: 120 });
  expect(section('settings').trim()).toBe(expected.trim());
});

test('the README says of every dependency what it does for us', () => {
  const listed = [...section('dependencies').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  const names = { ...manifest.dependencies, ...manifest.optionalDependencies };
  expect(listed.sort()).toEqual(Object.keys(names).sort());
});

function section(name: string): string {
  return readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
}

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { VIEWS } from '../../../src/analytics/sql/views.js';

test('The page documents each view and column', async () => {
  const page = await readFile('src/analytics/SQL.md', 'utf8');
  const [, documented = ''] = /<!-- views -->(.*)<!-- \/views -->/s.exec(page) ?? [];
  const sections = documented.split(/^### /m).slice(1);
  const views = sections.map((section) => ({
    name: /^`(\w+)`/.exec(section)?.[1],
    columns: [...section.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(([, name, type, about]) => ({
      name,
      type,
      about,
    })),
  }));
  expect(views).toEqual(
    VIEWS.map(({ name, columns }) => ({
      name,
      columns: columns.map(({ name: column, type, about }) => ({ name: column, type, about })),
    })),
  );
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sqliteUri, temporaryDirectory } from '../sync/harness.js';
import { clone, commit } from '../sync/rewriting.js';
import { runMain } from './main-process.js';

it('plumbline authors suggest prints entries of an authors file, which import takes', async () => {
  const { path } = await clone(1);
  for (const address of ['ada@one.example', 'ada@one.example', 'countess@two.example'])
    commit(path, 'feat: more', '--author', `Ada "A" Lovelace <${address}>`);
  const db = ['--db', sqliteUri()];
  expect((await runMain(['sync', 'git', '--repo-path', path, '--provider', 'local', ...db])).exitCode).toBe(0);
  const suggested = await runMain(['authors', 'suggest', ...db]);
  expect(suggested).toMatchObject({ exitCode: 0, stderr: '' });
  expect(suggested.stdout).toBe(
    'authors:\n' +
      '  # same name; work units: 2, 1\n' +
      '  - author: "ada@one.example"\n' +
      '    also: ["countess@two.example"]\n',
  );
  const file = join(temporaryDirectory(), 'authors.yaml');
  writeFileSync(file, suggested.stdout);
  expect((await runMain(['authors', 'import', file, ...db])).exitCode).toBe(0);
  const none = await runMain(['authors', 'suggest', '--json', ...db]);
  expect(JSON.parse(none.stdout)).toEqual({ suggestions: [] });
  expect(await runMain(['authors', 'suggest', '--limit', '0', ...db])).toMatchObject({
    exitCode: 2,
    stderr: 'plumbline authors suggest: --limit must be a whole number from 1 to 9999\n',
  });
});

/** Databases that an earlier release made lack columns, which the next sync adds. */
import Database from 'libsql';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { createEmptyDatabase } from '../support/postgres.js';
import { onlyId, sqliteUri, storedRows, sync } from './harness.js';

const options = { target: 'prs', provider: 'synthetic', repoName: 'acme/shop', date: '2026-01-14', backfill: '30' };

it.each([
  {
    kind: 'sqlite',
    prepare: () => {
      const uri = sqliteUri();
      return {
        uri,
        drop: () => {
          const database = new Database(uri.slice('sqlite:'.length));
          database.exec('alter table git_pull_requests drop column evidence');
          database.close();
        },
      };
    },
  },
  {
    kind: 'postgres',
    prepare: async () => {
      const { uri, drop } = await createEmptyDatabase();
      onTestFinished(drop);
      return {
        uri,
        drop: async () => {
          const sql = postgres(uri, { max: 1 });
          await sql`alter table git_pull_requests drop column evidence`;
          await sql.end();
        },
      };
    },
  },
])('adds a column that a table of $kind lacks, and keeps its rows', async ({ prepare }) => {
  const { uri, drop } = await prepare();
  const repoId = onlyId(await sync({ ...options, db: uri }));
  const before = await storedRows(uri, repoId);
  await drop();
  await sync({ ...options, db: uri });
  expect(await storedRows(uri, repoId)).toEqual(before);
});

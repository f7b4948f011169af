/** A table of the sink that another session has locked. */
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { createEmptyDatabase } from '../support/postgres.js';
import { sync } from './harness.js';

const options = { target: 'git', provider: 'synthetic', maxCommitsPerRepo: '10' } as const;

async function newDatabase(): Promise<{ uri: string; sql: postgres.Sql }> {
  const { uri, drop } = await createEmptyDatabase();
  const sql = postgres(uri, { max: 1 });
  onTestFinished(async () => {
    await sql.end();
    await drop();
  });
  return { uri, sql };
}

const withLockWait = (uri: string, limit: string): string => {
  const url = new URL(uri);
  url.searchParams.set('lock_timeout', limit);
  return url.href;
};

it('ends a sync with the reason at the limit for locks, and the next sync is complete', async () => {
  const { uri, sql } = await newDatabase();
  await sync({ ...options, db: uri });
  await sql.begin(async (transaction) => {
    await transaction`lock table git_commits in access exclusive mode`;
    const locked = sync({ ...options, date: '2026-01-14', db: withLockWait(uri, '300ms') });
    await expect(locked).rejects.toMatchObject({
      code: 'database_failed',
      message: expect.stringContaining('due to lock timeout'),
    });
  });
  const { repositories } = await sync({ ...options, date: '2026-01-14', db: uri });
  expect(repositories[0]?.status).toBe('ok');
});

it('waits 5 minutes for a lock, unless the connection string sets another limit', async () => {
  const { uri, sql } = await newDatabase();
  await sync({ ...options, db: uri });
  await sql`create table seen (lock_timeout text)`;
  await sql`
    create function note_limit() returns trigger language plpgsql as
    $$ begin insert into seen values (current_setting('lock_timeout')); return null; end $$`;
  await sql`create trigger note_limit after insert or update on sync_state execute function note_limit()`;
  await sync({ ...options, date: '2026-01-14', db: uri });
  expect(await sql`select distinct lock_timeout from seen`).toEqual([{ lock_timeout: '5min' }]);
});

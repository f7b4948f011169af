import postgres from 'postgres';
import { expect, it } from 'vitest';
import { withStoredRecords } from '../../src/platform/sources/records/stored-records.js';
import { forgetRepository } from '../../src/sync/forget-repository.js';
import { runStoreTask } from '../../src/platform/sources/store-tasks/run-task.js';
import { openPostgresLocks } from '../../src/sync/sinks/postgres-locks.js';
import { createEmptyDatabase } from '../support/postgres.js';
import { demoRepositories } from '../../src/platform/figures/demo/demo-content.js';
import { describeOnEachDatabase } from './databases.js';
import { importConnector } from '../support/chdb.js';
import { onlyId, storedRows, sync } from './harness.js';

describeOnEachDatabase('forgetting a repository', ({ kind, newDatabase }) => {
  const unread = kind === 'mongo' ? ' (skipped: no engine of the analytics reads MongoDB)' : '';
  it.skipIf(unread !== '')(`removes everything stored for it, and nothing of other repositories${unread}`, async () => {
    const db = await newDatabase();
    const options = { provider: 'synthetic', db, org: 'acme', maxCommitsPerRepo: '20' };
    const gone = onlyId(await sync({ ...options, target: 'git', repoName: 'acme/gone' }));
    await sync({ ...options, target: 'prs', repoName: 'acme/gone' });
    const kept = onlyId(await sync({ ...options, target: 'git', repoName: 'acme/kept' }));
    const keptRows = await storedRows(db, kept);

    const access = { orgId: 'acme', signal: new AbortController().signal, importConnector };
    await withStoredRecords({ store: db, rulesFile: null }, access, async (resources) => {
      const { sink, records, store } = resources;
      const units = async (repoId: string): Promise<number> => {
        let count = 0;
        for await (const batch of store.scan('acme', repoId)) count += batch.length;
        return count;
      };
      const keptUnits = await units(kept);
      expect(await units(gone)).toBeGreaterThan(0);
      await forgetRepository(resources, gone, 'synthetic');
      await forgetRepository(resources, gone, 'synthetic'); // there is nothing left to do
      expect([await units(gone), await units(kept)]).toEqual([0, keptUnits]);
      expect(await records.readProgress(gone)).toEqual(new Map());
      expect(await sink.readState({ repoId: gone, target: 'git', source: 'synthetic' })).toBeUndefined();
      expect(await sink.readState({ repoId: kept, target: 'git', source: 'synthetic' })).toBeDefined();
    });
    expect(await storedRows(db, gone)).toEqual({});
    expect(await storedRows(db, kept)).toEqual(keptRows);
  });

  const locksItself = kind === 'clickhouse' ? '' : ` (skipped: ${kind} holds locks itself)`;
  it.skipIf(locksItself !== '')(
    `waits for a sync that holds the lock in the PostgreSQL of a server${locksItself}`,
    async () => {
      const store = await newDatabase();
      const [repoName] = demoRepositories;
      const repoId = onlyId(
        await sync({ provider: 'synthetic', db: store, org: 'acme', target: 'git', repoName, maxCommitsPerRepo: '20' }),
      );
      const database = await createEmptyDatabase();
      const syncing = openPostgresLocks(database.uri);
      try {
        const lock = await syncing.tryLock({ repoId, target: 'git', source: 'synthetic' });
        const stop = new AbortController();
        const task = { kind: 'remove_demo_data', orgId: 'acme', store, rulesFile: null } as const;
        const waiting = runStoreTask({ ...task, locks: database.uri }, stop.signal, importConnector);
        // It has opened the store when it asks for the lock, which is one session more.
        const sql = postgres(database.uri, { max: 1 });
        await expect
          .poll(
            async () =>
              (
                await sql`select 1 from pg_stat_activity where application_name = 'plumbline sync locks' and datname = current_database()`
              ).length,
          )
          .toBeGreaterThan(1);
        await sql.end();
        stop.abort(new Error('given up'));
        await expect(waiting).rejects.toThrow('given up');
        expect(await storedRows(store, repoId)).not.toEqual({});
        await lock?.release();
        await runStoreTask({ ...task, locks: database.uri }, new AbortController().signal, importConnector);
        expect(await storedRows(store, repoId)).toEqual({});
      } finally {
        await syncing.close();
        await database.drop();
      }
    },
  );
});

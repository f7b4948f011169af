import { expect, it } from 'vitest';
import { withStoredRecords } from '../../src/platform/records/stored-records.js';
import { forgetRepository } from '../../src/sync/forget-repository.js';
import { describeOnEachDatabase } from './databases.js';
import { importConnector } from '../support/chdb.js';
import { onlyId, storedRows, sync } from './harness.js';

describeOnEachDatabase('forgetting a repository', ({ kind, newDatabase }) => {
  it.skipIf(kind === 'mongo')('removes all that is stored of it, and nothing of another', async () => {
    const db = await newDatabase();
    const options = { provider: 'synthetic', db, org: 'acme', maxCommitsPerRepo: '20' };
    const gone = onlyId(await sync({ ...options, target: 'git', repoName: 'acme/gone' }));
    await sync({ ...options, target: 'prs', repoName: 'acme/gone' });
    const kept = onlyId(await sync({ ...options, target: 'git', repoName: 'acme/kept' }));
    const keptRows = await storedRows(db, kept);

    const access = { orgId: 'acme', signal: new AbortController().signal, importConnector };
    await withStoredRecords({ store: db, rulesFile: null }, access, async (deriver) => {
      const { sink, records, store } = deriver;
      const units = async (repoId: string): Promise<number> => {
        let count = 0;
        for await (const batch of store.scan('acme', repoId)) count += batch.length;
        return count;
      };
      const keptUnits = await units(kept);
      expect(await units(gone)).toBeGreaterThan(0);
      await forgetRepository(deriver, gone, 'synthetic');
      await forgetRepository(deriver, gone, 'synthetic'); // there is nothing left to do
      expect([await units(gone), await units(kept)]).toEqual([0, keptUnits]);
      expect(await records.readProgress(gone)).toEqual(new Map());
      expect(await sink.readState({ repoId: gone, target: 'git', source: 'synthetic' })).toBeUndefined();
      expect(await sink.readState({ repoId: kept, target: 'git', source: 'synthetic' })).toBeDefined();
    });
    expect(await storedRows(db, gone)).toEqual({});
    expect(await storedRows(db, kept)).toEqual(keptRows);
  });
});

import { expect, it } from 'vitest';
import { withStoredRecords } from '../../src/platform/sources/records/stored-records.js';
import { runStoreTask } from '../../src/platform/sources/store-tasks/run-task.js';
import { createEmptyDatabase } from '../support/postgres.js';
import { importConnector } from '../support/chdb.js';
import { readErasures, writeErasures } from '../../src/sync/erasure/erasures.js';
import { describeOnEachDatabase } from './databases.js';
import { onlyId, storedRows, sync } from './harness.js';

describeOnEachDatabase('removing an organization', ({ kind, inProcess, newDatabase }) => {
  const unread = kind === 'mongo' ? ' (skipped: no engine of the analytics reads MongoDB)' : '';
  const title = `removes all its repositories and files, and nothing of another one${unread}`;
  it.skipIf(unread !== '')(title, { timeout: 180_000 }, async () => {
    const db = await newDatabase();
    const options = { provider: 'synthetic', db, maxCommitsPerRepo: '20', target: 'git' };
    const gone = [
      onlyId(await sync({ ...options, org: 'gone', repoName: 'acme/api' })),
      onlyId(await sync({ ...options, org: 'gone', repoName: 'acme/web' })),
    ];
    const kept = onlyId(await sync({ ...options, org: 'kept', repoName: 'acme/api' }));
    const keptRows = await storedRows(db, kept);

    const stored = { store: db, rulesFile: null };
    const access = { signal: new AbortController().signal, importConnector };
    const files = ['teams', 'authors', 'rules', 'calendar'] as const;
    const filesOf = (orgId: string): Promise<(string | undefined)[]> =>
      withStoredRecords(stored, { ...access, orgId }, ({ records }) =>
        Promise.all(files.map((file) => records.readFile(file, orgId))),
      );
    for (const orgId of ['gone', 'kept']) {
      await withStoredRecords(stored, { ...access, orgId }, async ({ records, sink }) => {
        await writeErasures(sink, orgId, { revision: 'r', salt: 's', words: 1, pseudonyms: new Map() });
        for (const file of files) await records.writeFile(file, orgId, `${file} of ${orgId}`);
      });
    }

    const database = kind === 'clickhouse' && inProcess !== true ? await createEmptyDatabase() : null;
    const task = { kind: 'remove_organization', orgId: 'gone', ...stored, locks: database?.uri ?? null } as const;
    await runStoreTask(task, access.signal, importConnector);
    await database?.drop();

    for (const id of gone) expect(await storedRows(db, id)).toEqual({});
    expect(await filesOf('gone')).toEqual(files.map(() => undefined));
    expect(await storedRows(db, kept)).toEqual(keptRows);
    expect(await filesOf('kept')).toEqual(files.map((file) => `${file} of kept`));
    await withStoredRecords(stored, { ...access, orgId: 'gone' }, async ({ records, store, sink }) => {
      expect(await readErasures(sink, 'gone')).toBeUndefined();
      expect(await readErasures(sink, 'kept')).toMatchObject({ salt: 's' });
      expect(await records.repositories('gone')).toEqual([]);
      for (const id of gone) for await (const units of store.scan('gone', id)) expect(units).toEqual([]);
    });
  });
});

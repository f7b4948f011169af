/** A prune that gets `kill -9`, on every kind of database. */
import { expect, it } from 'vitest';
import { git } from '../support/git-history.js';
import { describeOnEachDatabase } from './databases.js';
import { onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { killedInFrontOf } from './killed-sync.js';
import { clone, commit, reachableFrom, rewrite } from './rewriting.js';
import { unitsIn } from './work-units/stored-units.js';

describeOnEachDatabase('a prune', (engine) => {
  it('that is killed in front of the removal of the commits is completed by the next sync, without --prune', async () => {
    const { path, options } = await clone(12);
    for (let extra = 1; extra <= 3; extra += 1)
      commit(path, `feat: squashed ${extra} (#${extra})`, '--author', 'Grace <g@example.com>');
    const [db, whole] = [await engine.newDatabase(), await engine.newDatabase()];
    const all = { ...options, db };
    await sync({ ...all, target: 'prs' });
    const repoId = onlyId(await sync(all));
    rewrite(path, 5);
    await killedInFrontOf('delete (from )?git_commits( |_local|$)', 1, { ...all, prune: true });
    const interrupted = (await storedRows(db, repoId))['git_commits'] ?? [];
    expect(interrupted.length).toBe(20);

    // The batch that had begun is completed by any sync.
    await sync(all);
    const stored = await storedRows(db, repoId);
    expect((stored['git_commits'] ?? []).map(({ hash }) => hash)).toEqual(reachableFrom(path));
    await sync({ ...all, db: whole, target: 'prs' });
    await sync({ ...all, db: whole });
    await sync({ ...all, target: 'prs' });
    expect(await storedRows(db, repoId)).toEqual(await storedRows(whole, repoId));
    const again = await sync({ ...all, prune: true });
    expect(again.repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    if (engine.kind !== 'mongo') expect(await unitsIn(db, repoId)).toEqual(await unitsIn(whole, repoId));
  });

  it('that is killed between records and units is completed by the next sync', async () => {
    if (engine.kind === 'mongo') return;
    const { path, options } = await clone(12);
    const db = await engine.newDatabase();
    const repoId = onlyId(await sync({ ...options, db }));
    rewrite(path, 5);
    const hashes = async (): Promise<readonly string[]> =>
      (await unitsIn(db, repoId)).map(({ id }) => id.slice(`${repoId}:commit:`.length));
    // The first statement reads the links of the new commits.
    await killedInFrontOf('from work_unit_links', 2, { ...options, db, prune: true });
    expect((await storedRows(db, repoId))['git_commits']).toHaveLength(12);
    expect(await hashes()).toHaveLength(17);
    await sync({ ...options, db });
    expect(await hashes()).toEqual(reachableFrom(path));
  });
});

it('a prune of several batches that is killed in the first one leaves the others to the next prune', async () => {
  const { path, options } = await clone(1100);
  const db = sqliteUri();
  const repoId = onlyId(await sync({ ...options, db }));
  git(path, 'checkout', '--quiet', '--orphan', 'new');
  commit(path, 'feat: start again');
  git(path, 'branch', '--quiet', '-D', 'main');
  await killedInFrontOf('delete from git_commits ', 1, { ...options, db, prune: true });
  const remaining = async (): Promise<number> => (await storedRows(db, repoId))['git_commits']?.length ?? 0;
  expect(await remaining()).toBe(1101);
  await sync({ ...options, db });
  expect(await remaining()).toBe(101);
  expect(await unitsIn(db, repoId)).toHaveLength(101);
  const last = await sync({ ...options, db, prune: true });
  expect(last.repositories[0]?.removed).toEqual({ commits: 100, requests: 0 });
  expect(await unitsIn(db, repoId)).toHaveLength(1);
});

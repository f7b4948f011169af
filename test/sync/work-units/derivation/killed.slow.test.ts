/** `kill -9` in the middle of a derivation: what the next sync makes of it. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { initRepository, writeHistory } from '../../../support/git-history.js';
import { describeOnEachDatabase } from '../../databases.js';
import { onlyId, sync } from '../../harness.js';
import { killedInFrontOf } from '../../killed-sync.js';
import { unitsIn } from '../stored-units.js';

/** Three batches of the derivation: when the links of the third one are read, the first one is stored. */
const COMMITS = 5001;
const folder = mkdtempSync(join(tmpdir(), 'plumbline-killed-'));
const repoPath = join(folder, 'project');
beforeAll(async () => {
  initRepository(repoPath);
  await writeHistory(repoPath, COMMITS);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const SYNTHETIC = { provider: 'synthetic', date: '2026-01-10', backfill: '20' } as const;

describeOnEachDatabase('a derivation', (engine) => {
  if (engine.kind === 'mongo') {
    it.skip('is not done on MongoDB (skipped: no engine of the analytics reads it)', () => {});
    return;
  }

  it('of a history that gets kill -9 while it is read, and again while it is completed, is completed by the next sync', async () => {
    const options = { target: 'git', provider: 'local', repoPath, since: '2001-01-01' } as const;
    const [killed, whole] = [await engine.newDatabase(), await engine.newDatabase()];
    const repoId = onlyId(await sync({ ...options, db: whole }));
    const expected = await unitsIn(whole, repoId);
    expect(expected).toHaveLength(COMMITS);
    const partOf = async (): Promise<void> => {
      const { length } = await unitsIn(killed, repoId);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThan(COMMITS);
    };
    await killedInFrontOf('into sync_state', 4, { ...options, db: killed }, { BATCH_SIZE: '1000' });
    await partOf();
    // ClickHouse reads 10,000 commits at once: there, this history is one batch.
    if (engine.kind !== 'clickhouse') {
      await killedInFrontOf('from work_unit_links', 3, { ...options, db: killed });
      const finished = await sync({ ...options, db: killed });
      expect(finished.repositories[0]?.records['git_commits']).toBeUndefined();
    } else await sync({ ...options, db: killed });
    expect(await unitsIn(killed, repoId)).toEqual(expected);
  }, 120_000);

  it.each([
    ['in front of the note that links change', '(insert into|into) work_unit_links', true],
    ['between the units of commits and those of their requests', 'submitted_at from git_pull_request_reviews', false],
  ])(
    'of requests that gets kill -9 %s is completed by the next sync',
    async (_point, pattern, hasAllCommits) => {
      const [killed, whole] = [await engine.newDatabase(), await engine.newDatabase()];
      const repoId = onlyId(await sync({ ...SYNTHETIC, target: 'git', db: whole }));
      const alone = await unitsIn(whole, repoId);
      await sync({ ...SYNTHETIC, target: 'prs', db: whole });
      await sync({ ...SYNTHETIC, target: 'git', db: killed });
      await killedInFrontOf(pattern, 1, { ...SYNTHETIC, target: 'prs', db: killed });
      const interrupted = await unitsIn(killed, repoId);
      expect(interrupted.filter(({ workType }) => workType === 'pull_request')).toEqual([]);
      if (hasAllCommits) expect(interrupted).toEqual(alone);
      else expect(interrupted.length).toBeLessThan(alone.length);
      await sync({ ...SYNTHETIC, target: 'prs', db: killed });
      const expected = await unitsIn(whole, repoId);
      expect(new Set(expected.map(({ workType }) => workType))).toContain('pull_request');
      expect(await unitsIn(killed, repoId)).toEqual(expected);
    },
    60_000,
  );
});

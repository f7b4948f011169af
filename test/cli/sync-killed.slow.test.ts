/** What a crash does to a sync, on every kind of database, with the command as users run it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initRepository, writeHistory } from '../support/git-history.js';
import { describeOnEachDatabase } from '../sync/databases.js';
import { storedRows, temporaryDirectory } from '../sync/harness.js';
import { printedSummary, runSyncProcess, startSync } from './sync-process.js';

const COMMITS = 1200;
const SMALL_PAGES = { BATCH_SIZE: '4' };

async function wholeHistory(commits: number): Promise<readonly string[]> {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  await writeHistory(path, commits);
  return ['git', '--provider', 'local', '--repo-path', path, '--since', '2001-01-01', '--json'];
}

describeOnEachDatabase('plumbline sync', (engine) => {
  if (engine.inProcess === true) {
    it.skip('is killed on chdb in test/sync/resume.slow.test.ts: the command would need it among its own packages', () => {});
    return;
  }

  it('that gets kill -9 is completed by the next run, with the result of an uninterrupted one; a further run changes nothing', async () => {
    const args = await wholeHistory(COMMITS);
    const [killed, whole] = [await engine.newDatabase(), await engine.newDatabase()];
    const first = startSync([...args, '--db', killed], { environment: { ...SMALL_PAGES, DB_ECHO: 'true' } });
    await first.said(/(?:(?:insert into|update) sync_state[^]*){5}/);
    first.kill('SIGKILL');
    expect(await first.finished).toMatchObject({ signal: 'SIGKILL', stdout: '' });

    const second = await runSyncProcess([...args, '--db', killed]);
    expect(second).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('resuming the last sync') as string,
    });
    const [resumed] = printedSummary(second).repositories;
    expect(resumed?.records['git_commits']).toBeLessThan(COMMITS);

    const reference = await runSyncProcess([...args, '--db', whole]);
    expect(printedSummary(reference).repositories[0]?.records['git_commits']).toBe(COMMITS);
    const id = resumed?.id ?? '';
    const stored = await storedRows(killed, id);
    expect(stored['git_commits']).toHaveLength(COMMITS);
    expect(stored).toEqual(await storedRows(whole, id));

    const third = await runSyncProcess([...args, '--db', killed]);
    expect(printedSummary(third).repositories[0]?.records).toEqual({ repos: 1 });
    expect(await storedRows(killed, id)).toEqual(stored);
  });

  it('twice at once on one repository stores the same as one run alone', async () => {
    const args = await wholeHistory(COMMITS / 3);
    const [shared, alone] = [await engine.newDatabase(), await engine.newDatabase()];
    const both = await Promise.all([
      runSyncProcess([...args, '--db', shared], { environment: SMALL_PAGES }),
      runSyncProcess([...args, '--db', shared], { environment: SMALL_PAGES }),
    ]);
    expect(both.map((finished) => printedSummary(finished).repositories[0]?.error)).toEqual([null, null]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const reference = await runSyncProcess([...args, '--db', alone]);
    const id = printedSummary(reference).repositories[0]?.id ?? '';
    expect(await storedRows(shared, id)).toEqual(await storedRows(alone, id));
  });
});

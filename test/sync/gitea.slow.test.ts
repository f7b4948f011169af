import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';
import { giteaIsMissing, startGitea, type Gitea } from '../support/gitea.js';
import { onlyId, requestFor, sqliteUri, storedRows, testDependencies } from './harness.js';
import { runSync } from '../../src/sync/run.js';
import type { SyncSummary } from '../../src/sync/summary.js';
import { unitsIn } from './work-units/stored-units.js';

let gitea: Gitea;

/** The default branch: its name has to be encoded in addresses. */
const BRANCH = 'line/main';

const wait = { now: Date.now };

function read(db: string, target: string, more: SyncOptions = {}): Promise<SyncSummary> {
  const where = { giteaUrl: gitea.url, owner: 'ada', repo: 'widgets', auth: gitea.token };
  return runSync(requestFor({ provider: 'gitea', target, db, ...where, ...more }), testDependencies(wait));
}

/** Writes a file in a new commit. */
async function commit(path: string, content: string, branch: string, message: string): Promise<void> {
  const file = { content: Buffer.from(content).toString('base64'), message, branch };
  await gitea.api('POST', `/repos/ada/widgets/contents/${path}`, file);
}

describe.skipIf(giteaIsMissing !== undefined)(`A sync of a real Gitea (${giteaIsMissing ?? 'TEST_GITEA'})`, () => {
  beforeAll(async () => {
    gitea = await startGitea();
    const grace = await gitea.addUser('grace');
    await gitea.api('POST', '/user/repos', { name: 'widgets', auto_init: true, default_branch: BRANCH });
    await gitea.api('PUT', '/repos/ada/widgets/collaborators/grace', { permission: 'write' });
    for (let number = 1; number <= 12; number += 1)
      await commit(`src/${number}.txt`, 'one\ntwo\n', BRANCH, `Add ${number}`);
    await gitea.api('POST', '/repos/ada/widgets/issues', { title: 'It fails', body: 'Always.' });
    await gitea.api('POST', '/repos/ada/widgets/branches', { new_branch_name: 'fix', old_branch_name: BRANCH });
    await commit('fix.txt', 'right\n', 'fix', 'Repair it');
    const request = { title: 'Repair', body: 'Fixes #1', head: 'fix', base: BRANCH };
    await gitea.api('POST', '/repos/ada/widgets/pulls', request);
    const review = { event: 'APPROVED', body: 'Good.' };
    await gitea.api('POST', '/repos/ada/widgets/pulls/2/reviews', review, grace);
    // Until the server has compared the branches, it answers 405.
    const merge = (): Promise<unknown> => gitea.api('POST', '/repos/ada/widgets/pulls/2/merge', { Do: 'merge' });
    await vi.waitFor(merge, { timeout: 60_000, interval: 200 });
    return () => gitea.stop();
  }, 120_000);

  it('stores its commits, over several pages, with their files', async () => {
    const db = sqliteUri();
    const summary = await read(db, 'git');
    expect(summary.repositories[0]).toMatchObject({ error: null, records: { git_commits: 15 } });
    const stored = await storedRows(db, onlyId(summary));
    expect(new Set(stored['git_commits']?.map(({ message }) => message)).size).toBe(15);
    expect(stored['git_commit_stats']).toContainEqual(
      expect.objectContaining({ file_path: 'src/12.txt', additions: 2, deletions: 0 }),
    );
    // The merge has none.
    expect(stored['git_commit_stats']).toHaveLength(14);

    await commit('later.txt', 'later\n', BRANCH, 'Add later');
    expect((await read(db, 'git')).repositories[0]).toMatchObject({ error: null, records: { git_commits: 1 } });
  }, 60_000);

  it('stores a merged request with its review and its commits, and the issue that it closed', async () => {
    const db = sqliteUri();
    await read(db, 'git');
    const summary = await read(db, 'prs');
    const id = onlyId(summary);
    expect(summary.repositories[0]?.error).toBeNull();
    const issues = await read(db, 'issues');
    expect(issues.repositories[0]?.error).toBeNull();
    const stored = await storedRows(db, id);
    expect(stored['git_pull_requests']).toMatchObject([
      { number: 2, state: 'merged', author_name: 'ada', head_branch: 'fix', additions: 1, reviews_count: 1 },
    ]);
    expect(stored['git_pull_request_reviews']).toMatchObject([{ number: 2, reviewer: 'grace', state: 'APPROVED' }]);
    expect(stored['issues']).toMatchObject([
      { number: 1, title: 'It fails', state: 'closed', author_name: 'ada', closing_requests: [2] },
    ]);
    expect(stored['issue_state_changes']?.map(({ state }) => state).toSorted()).toEqual(['closed', 'opened']);

    const again = await read(db, 'issues');
    expect(again.repositories[0]?.error).toBeNull();
    // The commit and the merge belong to the request, and so to one unit.
    const units = await unitsIn(db, id);
    expect(units.filter(({ workType }) => workType === 'pull_request')).toHaveLength(1);
  }, 60_000);

  it('stores a run of Actions that waits for a runner', async () => {
    const workflow = 'on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "true"\n';
    await commit('.gitea/workflows/test.yml', workflow, BRANCH, 'Add a workflow');
    const runs = async (): Promise<void> => {
      expect(await gitea.api('GET', '/repos/ada/widgets/actions/runs')).toMatchObject({ total_count: 1 });
    };
    await vi.waitFor(runs, { timeout: 60_000, interval: 200 });
    const db = sqliteUri();
    const summary = await read(db, 'cicd');
    expect(summary.repositories[0]).toMatchObject({ status: 'ok', error: null });
    expect((await storedRows(db, onlyId(summary)))['ci_pipeline_runs']).toMatchObject([
      { status: 'queued', finished_at: null },
    ]);
  }, 120_000);

  it('finds the repositories of a user that match a pattern', async () => {
    const many = { giteaUrl: gitea.url, search: 'ada/wid*', auth: gitea.token };
    const request = requestFor({ provider: 'forgejo', target: 'git', db: sqliteUri(), ...many });
    const summary = await runSync(request, testDependencies(wait));
    expect(summary.repositories.map(({ name, status }) => [name, status])).toEqual([['ada/widgets', 'ok']]);
  }, 60_000);
});

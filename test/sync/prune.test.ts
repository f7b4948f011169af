/** `sync git --prune`: what a rewritten history no longer has is removed, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { hostBProject, startHostB } from '../support/hosts/host-b.js';
import { git } from '../support/git-history.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from './harness.js';
import { commits as historyOfA, host, options as optionsOfA } from './host-a-fixture.js';
import { clone, commit, hashOf, reachableFrom, rewrite } from './rewriting.js';
import { unitsIn } from './work-units/stored-units.js';

async function stored(db: string, repoId: string) {
  const rows = await storedRows(db, repoId);
  const units = await unitsIn(db, repoId);
  return {
    commits: (rows['git_commits'] ?? []).map(({ hash }) => hash),
    files: new Set((rows['git_commit_stats'] ?? []).map((row) => row['commit_hash'])),
    requests: (rows['git_pull_requests'] ?? []).map((row) => row['number']),
    units: units.map(({ id }) => id.slice(repoId.length + 1)),
    rows,
  };
}

describe('a clone', () => {
  it('loses the commits, files and units of an amended and of a rebased history; the others are untouched', async () => {
    const { path, options } = await clone(30);
    const [db, fresh] = [sqliteUri(), sqliteUri()];
    const repoId = onlyId(await sync({ ...options, db }));
    const before = await unitsIn(db, repoId);
    const replaced = rewrite(path, 4);
    git(path, 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'fix: amended');

    const kept = await sync({ ...options, db });
    expect(kept.repositories[0]?.removed).toBeUndefined();
    expect((await stored(db, repoId)).commits).toHaveLength(34);

    const { notes, dependencies } = noted();
    const pruned = await sync({ ...options, db, prune: true }, dependencies);
    expect(pruned.repositories[0]).toMatchObject({ status: 'ok', removed: { commits: 4, requests: 0 } });
    expect(notes).toContain('project (git): removed 4 commits that the rewritten history no longer has');
    const after = await stored(db, repoId);
    expect(after.commits).toEqual(reachableFrom(path));
    for (const hash of replaced) expect(after.files).not.toContain(hash);
    expect(after.units).toEqual(reachableFrom(path).map((hash) => `commit:${hash}`));
    const untouched = before.filter(({ id }) => !replaced.some((hash) => id.endsWith(hash)));
    expect(untouched).toHaveLength(26);
    expect(await unitsIn(db, repoId)).toEqual(expect.arrayContaining(untouched));
    await sync({ ...options, db: fresh });
    expect((await stored(fresh, repoId)).rows).toEqual(after.rows);

    const again = await sync({ ...options, db, prune: true });
    expect(again.repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    git(path, 'reset', '--quiet', '--hard', replaced[0] ?? '');
    await sync({ ...options, db, prune: true });
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(path));
    expect(await unitsIn(db, repoId)).toEqual(before);
  });

  it('keeps what another branch, a tag or a fetched ref still reaches', async () => {
    const { path, options } = await clone(10);
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    git(path, 'branch', 'other', 'HEAD~1');
    git(path, 'update-ref', 'refs/pull/7/head', 'HEAD');
    rewrite(path, 3);
    const summary = await sync({ ...options, db, prune: true });
    expect(summary.repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    git(path, 'update-ref', '-d', 'refs/pull/7/head');
    expect((await sync({ ...options, db, prune: true })).repositories[0]?.removed?.commits).toBe(1);
    git(path, 'branch', '-D', 'other');
    expect((await sync({ ...options, db, prune: true })).repositories[0]?.removed?.commits).toBe(2);
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(path));
  });

  it('loses the requests of removed commits; commits of a removed request that are still reached become units', async () => {
    const { path, options } = await clone(5);
    const db = sqliteUri();
    const byHost = ['--author', 'Grace <grace@example.com>'];
    commit(path, 'feat: squashed (#12)', ...byHost);
    git(path, 'checkout', '--quiet', '-b', 'topic');
    const own = commit(path, 'feat: on the branch');
    git(path, 'checkout', '--quiet', 'main');
    commit(path, 'fix: between');
    git(path, 'merge', '--quiet', '--no-ff', '-m', 'Merge pull request #13 from acme/topic', 'topic');
    for (const target of ['git', 'prs']) await sync({ ...options, db, target });
    const repoId = onlyId(await sync({ ...options, db }));
    const before = await stored(db, repoId);
    expect(before.requests).toEqual([12, 13]);
    expect(before.units).toEqual(expect.arrayContaining(['pull_request:12', 'pull_request:13']));
    expect(before.units).not.toContain(`commit:${own}`);

    git(path, 'reset', '--quiet', '--hard', 'HEAD~2');
    const squash = hashOf(path, 'HEAD');
    git(path, 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'feat: squashed otherwise (#12)');
    const summary = await sync({ ...options, db, prune: true });
    // The squash, the commit between and the merge; the branch still reaches its commit and the old squash.
    expect(summary.repositories[0]?.removed).toEqual({ commits: 2, requests: 1 });
    const after = await stored(db, repoId);
    expect(after.requests).toEqual([12]);
    expect(after.units).toContain(`commit:${own}`);
    expect(after.units).not.toContain('pull_request:13');

    git(path, 'branch', '-D', 'topic');
    const last = await sync({ ...options, db, prune: true });
    expect(last.repositories[0]?.removed).toEqual({ commits: 2, requests: 1 });
    expect((await stored(db, repoId)).requests).toEqual([]);
    expect((await stored(db, repoId)).commits).not.toContain(squash);
    await sync({ ...options, db, target: 'prs' });
    const [fresh] = [sqliteUri()];
    for (const target of ['git', 'prs']) await sync({ ...options, db: fresh, target });
    expect((await stored(db, repoId)).rows).toEqual((await stored(fresh, repoId)).rows);
    expect(await unitsIn(db, repoId)).toEqual(await unitsIn(fresh, repoId));
  });

  it('loses nothing outside of the time window of the sync', async () => {
    const { path, options } = await clone(6);
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    const old = git(path, 'log', '--format=%cI', '-1', 'HEAD').trim();
    rewrite(path, 2);
    const later = await sync({ ...options, since: '2020-01-01', db, prune: true });
    expect(later.repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    expect((await stored(db, repoId)).commits).toHaveLength(8);
    const around = await sync({ ...options, since: old, db, prune: true });
    expect(around.repositories[0]?.removed).toEqual({ commits: 1, requests: 0 });
    const all = await sync({ ...options, db, prune: true });
    expect(all.repositories[0]?.removed).toEqual({ commits: 1, requests: 0 });
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(path));
  });

  it.each([
    ['is shallow', 'the clone is shallow'],
    ['is empty', 'the repository is empty'],
  ])('that %s loses nothing', async (kind, reason) => {
    const { path, options } = await clone(6);
    git(path, 'remote', 'add', 'origin', 'https://host-a.test/acme/widgets.git');
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    const other = `${temporaryDirectory()}/other`;
    if (kind === 'is shallow') git(path, 'clone', '--quiet', '--depth', '2', `file://${path}`, other);
    else git(path, 'init', '--quiet', other);
    git(other, 'remote', kind === 'is shallow' ? 'set-url' : 'add', 'origin', 'https://host-a.test/acme/widgets.git');
    const { notes, dependencies } = noted();
    const summary = await sync({ ...options, repoPath: other, db, prune: true }, dependencies);
    expect(onlyId(summary)).toBe(repoId);
    expect(summary.repositories[0]?.removed).toBeUndefined();
    expect(notes).toContain(`acme/widgets (git): no commits are removed, because ${reason}`);
    expect((await stored(db, repoId)).commits).toHaveLength(6);
  });

  it('loses the commits in the secondary database, too, also later', async () => {
    const { path, options } = await clone(8);
    const [db, secondary] = [sqliteUri(), sqliteUri()];
    const both = { ...options, db, sink: 'both' };
    const environment = { SECONDARY_DATABASE_URI: secondary };
    const repoId = onlyId(await sync(both, undefined, environment));
    rewrite(path, 2);
    await sync({ ...both, prune: true }, undefined, environment);
    expect((await stored(secondary, repoId)).rows).toEqual((await stored(db, repoId)).rows);
    expect(await unitsIn(secondary, repoId)).toEqual(await unitsIn(db, repoId));

    rewrite(path, 2);
    await sync({ ...options, db, prune: true });
    await sync({ ...both, prune: true }, undefined, environment);
    expect((await stored(secondary, repoId)).commits).toEqual(reachableFrom(path));
    expect(await unitsIn(secondary, repoId)).toEqual(await unitsIn(db, repoId));
  });
});

describe('a clone, and what it cannot see', () => {
  it.each(['a replacement', 'a graft'])('keeps commits that %s hides', async (kind) => {
    const { path, options } = await clone(6);
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    const hashes = reachableFrom(path);
    if (kind === 'a graft') writeFileSync(join(path, '.git', 'info', 'grafts'), `${hashOf(path, 'HEAD~1')}\n`);
    else git(path, 'replace', '--graft', 'HEAD~1');
    expect(reachableFrom(path).length).toBeLessThan(6);
    const summary = await sync({ ...options, db, prune: true });
    expect(summary.repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    expect((await stored(db, repoId)).commits).toEqual(hashes);
  });

  it('keeps commits that another clone of the same repository is ahead by', async () => {
    const { path, options } = await clone(6);
    git(path, 'remote', 'add', 'origin', 'https://host-a.test/acme/widgets.git');
    const behind = `${temporaryDirectory()}/behind`;
    git(path, 'clone', '--quiet', `file://${path}`, behind);
    git(behind, 'remote', 'set-url', 'origin', 'https://host-a.test/acme/widgets.git');
    for (const number of [1, 2]) commit(path, `feat: newer ${number}`);
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));

    for (const attempt of [1, 2]) {
      const { notes, dependencies } = noted();
      const summary = await sync({ ...options, repoPath: behind, db, prune: true }, dependencies);
      expect(summary.repositories[0]).toMatchObject({ id: repoId, removed: { commits: 0, requests: 0 } });
      expect(notes, `attempt ${attempt}`).toContain(
        'acme/widgets (git): kept 2 unreachable commits that this clone does not have',
      );
    }
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(path));
    git(path, 'reset', '--quiet', '--hard', 'HEAD~2');
    expect((await sync({ ...options, db, prune: true })).repositories[0]?.removed?.commits).toBe(2);
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(behind));
  });

  it('infers the requests of a restored history again', async () => {
    const { path, options } = await clone(3);
    const db = sqliteUri();
    const merged = commit(path, 'feat: squashed (#12)', '--author', 'Grace <grace@example.com>');
    const syncAll = async () => {
      for (const target of ['git', 'prs']) await sync({ ...options, db, target, prune: target === 'git' });
      return onlyId(await sync({ ...options, db }));
    };
    const repoId = await syncAll();
    const units = await unitsIn(db, repoId);
    git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
    await sync({ ...options, db, prune: true });
    expect((await stored(db, repoId)).requests).toEqual([]);
    git(path, 'reset', '--quiet', '--hard', merged);
    await syncAll();
    expect((await stored(db, repoId)).requests).toEqual([12]);
    expect(await unitsIn(db, repoId)).toEqual(units);
  });

  it('loses commits that were stored since the last prune after its refs return', async () => {
    const { path, options } = await clone(4);
    const [db, secondary] = [sqliteUri(), sqliteUri()];
    const both = { ...options, db, sink: 'both' };
    const environment = { SECONDARY_DATABASE_URI: secondary };
    const repoId = onlyId(await sync({ ...both, prune: true }, undefined, environment));
    commit(path, 'feat: for a while');
    await sync(both, undefined, environment);
    commit(path, 'feat: only in the primary, until it is copied');
    await sync({ ...options, db });
    git(path, 'reset', '--quiet', '--hard', 'HEAD~2');
    const summary = await sync({ ...both, prune: true }, undefined, environment);
    expect(summary.repositories[0]?.removed).toEqual({ commits: 2, requests: 0 });
    expect((await stored(db, repoId)).commits).toEqual(reachableFrom(path));
    expect((await stored(secondary, repoId)).commits).toEqual(reachableFrom(path));
  });

  it('loses an open request whose commit is removed', async () => {
    const { path, options } = await clone(3);
    const db = sqliteUri();
    const tip = commit(path, 'feat: proposed');
    const repoId = onlyId(await sync({ ...options, db }));
    git(path, 'update-ref', 'refs/pull/7/head', tip);
    git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
    await sync({ ...options, db, target: 'prs' });
    await sync({ ...options, db, prune: true });
    expect((await stored(db, repoId)).requests).toEqual([7]);
    git(path, 'update-ref', '-d', 'refs/pull/7/head');
    const summary = await sync({ ...options, db, prune: true });
    expect(summary.repositories[0]?.removed).toEqual({ commits: 1, requests: 1 });
    expect((await stored(db, repoId)).requests).toEqual([]);
    expect((await stored(db, repoId)).units).toEqual(reachableFrom(path).map((hash) => `commit:${hash}`));
  });
});

describe('host_a', () => {
  it('loses what its branch no longer has, if the host lists the whole branch', async () => {
    const [first, second, third] = historyOfA(3).toReversed();
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three commits');
    const repository = hostARepository('acme/widgets', { commits: [third, second, first] });
    const started = await host(repository);
    const db = sqliteUri();
    const options = (more: SyncOptions = {}): SyncOptions => ({ ...optionsOfA(started, db), ...more });
    const repoId = onlyId(await sync(options()));
    const rewritten = { ...third, sha: 'f'.repeat(40) };
    repository.commits = [rewritten, second, first];

    started.fault = ({ path, query }) =>
      path.endsWith('/commits') && query.get('per_page') === '100' && query.get('sha') === rewritten.sha
        ? problem(422, 'Something failed')
        : undefined;
    expect((await sync(options({ prune: true }))).repositories[0]?.status).toBe('failed');
    expect((await stored(db, repoId)).commits).toHaveLength(3);
    started.fault = () => undefined;

    // A host that hides a part of the branch: the root is missing.
    repository.commits = [rewritten, second];
    const { notes, dependencies } = noted();
    await sync(options({ prune: true }), dependencies);
    expect(notes.at(-1)).toBe(
      'acme/widgets (git): no commits are removed, because the host lists only a part of its commits',
    );
    expect((await stored(db, repoId)).commits).toHaveLength(4);

    repository.commits = [rewritten, second, first];
    const pruned = await sync(options({ prune: true }));
    expect(pruned.repositories[0]?.removed).toEqual({ commits: 1, requests: 0 });
    expect((await stored(db, repoId)).commits).toEqual([first.sha, second.sha, rewritten.sha]);
    expect((await stored(db, repoId)).units).toHaveLength(3);
  });

  it('loses nothing at the first prune after another branch became the default', async () => {
    const [first, second, third] = historyOfA(3).toReversed();
    if (first === undefined || second === undefined || third === undefined) throw new Error('There are three commits');
    const repository = hostARepository('acme/widgets', { commits: [third, second, first] });
    const db = sqliteUri();
    const options: SyncOptions = { ...optionsOfA(await host(repository), db), prune: true };
    const repoId = onlyId(await sync(options));
    repository.defaultBranch = 'release';
    repository.commits = [second, first];
    const { notes, dependencies } = noted();
    expect((await sync(options, dependencies)).repositories[0]?.removed).toBeUndefined();
    expect(notes.at(-1)).toBe(
      'acme/widgets (git): no commits are removed, because the default branch has changed from main to release',
    );
    expect((await stored(db, repoId)).commits).toHaveLength(3);
    const next = await sync(options);
    expect(next.repositories[0]?.removed).toEqual({ commits: 1, requests: 0 });
    expect((await stored(db, repoId)).commits).toEqual([first.sha, second.sha]);
  });

  it('keeps commits that a clone reported, and reads the branch again only after it moved', async () => {
    const { path, options: local } = await clone(3);
    git(path, 'remote', 'add', 'origin', 'https://host-a.test/acme/widgets.git');
    const repository = hostARepository('acme/widgets', { commits: historyOfA(2) });
    const started = await host(repository);
    const db = sqliteUri();
    await sync({ ...local, db });
    const remote = { ...optionsOfA(started, db), prune: true };
    const repoId = onlyId(await sync(remote));
    expect((await stored(db, repoId)).commits).toHaveLength(5);
    const before = started.requests.length;
    expect((await sync(remote)).repositories[0]?.removed).toEqual({ commits: 0, requests: 0 });
    const lists = started.requests.slice(before).filter(({ path: asked }) => asked.endsWith('/commits'));
    expect(lists.map(({ query }) => query.get('per_page'))).toEqual(['1', '1']);
  });
});

describe('host_b', () => {
  it('loses what its branch no longer has, if the host lists the whole branch over all pages', async () => {
    const commits = Array.from({ length: 120 }, (_, index) => {
      const date = new Date(NOW - index * 60_000).toISOString();
      return {
        id: String(120 - index).padStart(40, '0'),
        message: 'fix: a bug\n',
        author_name: 'Ada',
        author_email: 'ada@example.com',
        authored_date: date,
        committer_name: 'Ada',
        committer_email: 'ada@example.com',
        committed_date: date,
        parent_ids: index === 119 ? [] : [String(119 - index).padStart(40, '0')],
        stats: { additions: 3, deletions: 1, total: 4 },
      };
    });
    const project = hostBProject(7, 'group/widgets', { commits });
    const started = await startHostB(project);
    const db = sqliteUri();
    const options = {
      target: 'git',
      provider: 'gitlab',
      db,
      hostBUrl: started.url,
      auth: started.token,
      projectId: '7',
    };
    const repoId = onlyId(await sync(options));
    expect((await stored(db, repoId)).commits).toHaveLength(100);
    project.commits = [{ ...commits[0], id: 'f'.repeat(40) }, ...commits.slice(1)];
    const pruned = await sync({ ...options, prune: true });
    expect(pruned.repositories[0]?.removed).toEqual({ commits: 1, requests: 0 });
    expect((await stored(db, repoId)).commits).not.toContain(commits[0]?.id);
    expect((await stored(db, repoId)).units).toHaveLength(100);

    project.defaultBranch = 'release';
    project.commits = commits.slice(1);
    const { notes, dependencies } = noted();
    await sync({ ...options, prune: true }, dependencies);
    expect(notes.at(-1)).toContain('because the default branch has changed from main to release');
    expect((await stored(db, repoId)).commits).toContain('f'.repeat(40));
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryId } from '../../src/sync/identity.js';
import type { Host } from '../support/hosts/server.js';
import { startHost } from '../support/hosts/server.js';
import { git, initRepository } from '../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from './harness.js';

interface Recorded {
  readonly status: number;
  readonly headers: { readonly link?: string };
  readonly response: unknown;
}

/** Replies of the real host, as `@octokit/fixtures` recorded them. Its own entry is not loaded: it would patch `http`. */
function recorded(scenario: string): readonly Recorded[] {
  const file = createRequire(import.meta.url)
    .resolve('@octokit/fixtures')
    .replace(/index\.js$/, `scenarios/api.github.com/${scenario}/normalized-fixture.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Recorded[];
}

/** A host that answers with the recordings: one repository, and thirteen issues on five pages. */
function startRecordedHost(): Promise<Host> {
  const [repository] = recorded('get-repository');
  const issues = recorded('paginate-issues');
  return startHost((request, url) => {
    const reply = request.path.endsWith('/issues') ? issues[Number(request.query.get('page')) - 1] : repository;
    if (reply === undefined) return { status: 404, body: { message: 'Not Found' } };
    const link = reply.headers.link?.replaceAll('https://api.github.com', url);
    return { status: reply.status, body: reply.response, headers: link === undefined ? {} : { link } };
  });
}

describe('recorded replies of the real host_a', () => {
  it('are read page by page, following its Link header', async () => {
    const host = await startRecordedHost();
    const db = sqliteUri();
    const summary = await sync({ ...wanted(host), target: 'incidents', db });
    expect(summary.repositories[0]).toMatchObject({
      status: 'ok',
      name: 'octokit-fixture-org/hello-world',
      records: { incidents: 13 },
    });
    const titles = recorded('paginate-issues').flatMap(({ response }) =>
      (response as readonly { readonly title: string }[]).map(({ title }) => title),
    );
    const { incidents = [] } = await storedRows(db, onlyId(summary));
    expect(incidents.map((row) => row['title']).sort()).toEqual(titles.sort());
  });

  it('belong to the same repository as a clone of it: both fill one row', async () => {
    const host = await startRecordedHost();
    const clone = join(temporaryDirectory(), 'clone');
    initRepository(clone);
    git(clone, 'remote', 'add', 'origin', 'git@github.com:Octokit-Fixture-Org/hello-world.git');
    git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'root');
    const db = sqliteUri();
    const local = await sync({ target: 'git', provider: 'local', repoPath: clone, db });
    const remote = await sync({ ...wanted(host), target: 'incidents', db });
    expect(onlyId(remote)).toBe(onlyId(local));
    expect(onlyId(local)).toBe(repositoryId('default', 'github.com/octokit-fixture-org/hello-world'));
    const { repos, git_commits: commits, incidents } = await storedRows(db, onlyId(local));
    expect([repos?.length, commits?.length, incidents?.length]).toEqual([1, 1, 13]);
    expect(repos).toMatchObject([{ source: 'host_a', repo: 'octokit-fixture-org/hello-world' }]);
  });
});

function wanted(host: Host) {
  return { provider: 'host_a', hostAUrl: host.url, auth: 'any', owner: 'octokit-fixture-org', repo: 'hello-world' };
}

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { git, initRepository, writeHistory } from '../../../../support/git-history.js';
import { hostARepository, problem, startHostA } from '../../../../support/hosts/host-a.js';
import { hostBProject, startHostB } from '../../../../support/hosts/host-b.js';
import { signUpWithOrganizationId } from '../../../../support/organization-id.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../../support/platform.js';
import { commits } from '../../../../sync/host-a-fixture.js';
import { executeWithoutSleep, eventually, queueOf, type Queue } from './queue.js';

/** The organizations that may read local repositories, one for each test. */
const localOrganizations = [randomUUID(), randomUUID()];

let platform: TestPlatform;
let owner: TestUser;
let queue: Queue;
let localRoot: string;

beforeAll(async () => {
  localRoot = await mkdtemp(join(tmpdir(), 'plumbline-local-'));
  const environment = {
    SYNC_JOBS: '2',
    SYNC_LOCAL_ROOT: localRoot,
    SYNC_LOCAL_ORGANIZATIONS: localOrganizations.join(),
  };
  platform = await startTestPlatform({ environment, executeSync: executeWithoutSleep });
});

beforeEach(async () => {
  owner = await platform.signUp();
  queue = queueOf(platform, owner);
});

afterAll(async () => {
  await platform.stop();
  await rm(localRoot, { recursive: true, force: true });
});

async function storedCommits(): Promise<Record<string, number>> {
  const rows = await platform.database.sql<{ repo: string; count: number }[]>`
    select r.repo, count(c.hash) as count from repos r left join git_commits c on c.repo_id = r.id
    where r.org_id = ${owner.orgId} group by r.repo order by r.repo`;
  return Object.fromEntries(rows.map(({ repo, count }) => [repo, count]));
}

describe('a run of synthetic data', () => {
  it('reads every target of every repository, and completes', async () => {
    const targets = ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues'];
    const id = await queue.configure({ targets, repositories: ['acme/api', 'acme/web*'] });
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.error).toBeNull();
    expect(run.progress).toMatchObject({ repositories_total: 2, repositories_done: 2, repositories_failed: 0 });
    expect(Object.keys(await storedCommits())).toEqual(['acme/api', 'acme/web-shop']);

    const [kept] = await platform.database.sql`
      select o.first_sync_completed_at, r.result, r.worker, r.attempts from organizations o, sync_runs r
      where o.id = ${owner.orgId} and r.id = ${run.id}`;
    expect(kept?.['first_sync_completed_at']?.toISOString()).toBe(run.finished_at);
    expect(kept?.['result'].steps).toHaveLength(14);
    expect(kept?.['result'].steps[0]).toMatchObject({
      selected: 'acme/api',
      target: 'git',
      error: null,
      repositories: [{ name: 'acme/api', status: 'ok', records: { repos: 1 } }],
    });
    expect(kept).toMatchObject({ worker: null, attempts: 1 });
    const total = kept?.['result'].steps
      .flatMap((step: { repositories: { records: Record<string, number> }[] }) => step.repositories)
      .flatMap(({ records }: { records: Record<string, number> }) => Object.entries(records))
      .filter(([table]: [string, number]) => table !== 'work_units') // made of records, and none themselves
      .reduce((sum: number, [, count]: [string, number]) => sum + count, 0);
    expect(run.progress.records).toBe(total);
  });

  it('fails for a pattern without a match, and lists the repositories', async () => {
    const id = await queue.configure({ repositories: ['zebra/*'] });
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toBe(
      'zebra/*: zebra/* matches none of the synthetic repositories: acme/api, acme/mobile-app, acme/payments, acme/web-shop.',
    );
  });
});

describe('a run on a code host', () => {
  it('reports in notes what it skipped, even if nothing failed', async () => {
    const host = await startHostA(hostARepository('acme/api', { commits: commits(120) }));
    host.fault = ({ body }) => (body.includes('on Blob') ? problem(403, 'No access to files') : undefined);
    const integration = await queue.connect('host_a', host.url, host.token);
    const id = await queue.configure({
      ...{ provider: 'host_a', integration_id: integration, targets: ['git'], repositories: ['acme/api'] },
    });
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.notes).toEqual([expect.stringMatching(/^\S*acme\/api: its CODEOWNERS cannot be read/)]);
    expect(await storedCommits()).toEqual({ 'acme/api': 120 });
    expect(JSON.stringify(run.notes)).not.toContain(host.token);
  });

  it('reads names and patterns with the token of the integration', async () => {
    const host = await startHostA(
      hostARepository('acme/api', { commits: commits(3) }),
      hostARepository('other/lib-a', { commits: commits(2) }),
      hostARepository('other/lib-b', { commits: commits(1) }),
      hostARepository('other/site', { commits: commits(1) }),
    );
    const integration = await queue.connect('host_a', host.url, host.token);
    const repositories = ['acme/api', 'other/*', '!other/site', '!other/none-*'];
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories });
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.progress).toMatchObject({ repositories_total: 3, repositories_done: 3, repositories_failed: 0 });
    expect(await storedCommits()).toEqual({ 'acme/api': 3, 'other/lib-a': 2, 'other/lib-b': 1 });
  });

  it('is partial where a repository is missing, which is not tried again', async () => {
    const host = await startHostA(hostARepository('acme/api', { commits: commits(3) }));
    const integration = await queue.connect('host_a', host.url, host.token);
    const repositories = ['acme/api', 'acme/gone', 'nonsense'];
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories });
    const run = await queue.until(id, await queue.start(id), 'partial');
    expect(run.progress).toMatchObject({ repositories_total: 3, repositories_done: 1, repositories_failed: 2 });
    expect(run.error).toMatch(/^acme\/gone: .*\. nonsense: nonsense is neither owner\/name nor a pattern/);
    const [organization] = await platform.database.sql`
      select first_sync_completed_at from organizations where id = ${owner.orgId}`;
    expect(organization).toEqual({ first_sync_completed_at: null });
  });

  it('fails at once when the token is refused, without revealing it', async () => {
    const token = 'a-token-that-nobody-may-see';
    const host = await startHostA(hostARepository('acme/api'), hostARepository('acme/web'));
    const integration = await queue.connect('host_a', host.url, token);
    const repositories = ['acme/api', 'acme/web'];
    const config = { provider: 'host_a', integration_id: integration, targets: ['git', 'prs'], repositories } as const;
    const id = await queue.configure(config);
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toMatch(/^acme\/api: .*refused the token/);
    expect(host.requests).toHaveLength(1);
    const [row] = await platform.database.sql`select to_jsonb(sync_runs) as all from sync_runs where id = ${run.id}`;
    expect(JSON.stringify(row)).not.toContain(token);
    expect(platform.logLines.join('')).toContain(run.id);
    expect(platform.logLines.join('')).not.toContain(token);
  });

  it('removes the token from error messages of the host', async () => {
    const host = await startHostA(hostARepository('acme/api'));
    host.fault = () => problem(403, `The token ${host.token} may not do this`);
    const integration = await queue.connect('host_a', host.url, host.token);
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: ['acme/api'] });
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toContain('The token *** may not do this');
  });

  it('that cannot reach the host waits, and resumes with the missing part when the host is up again', async () => {
    const host = await startHostA(
      hostARepository('acme/api', { commits: commits(3) }),
      hostARepository('acme/web', { commits: commits(2) }),
    );
    host.fault = (request) => (request.path.includes('/web') ? { status: 503, body: {} } : undefined);
    const integration = await queue.connect('host_a', host.url, host.token);
    const repositories = ['acme/api', 'acme/web'];
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories });
    const runId = await queue.start(id);
    await eventually(async () => (await queue.read(id, runId)).error).toMatch(/^acme\/web: .*host_a/);
    const waiting = await queue.read(id, runId);
    expect(waiting).toMatchObject({ status: 'pending', finished_at: null });
    expect(waiting.progress).toMatchObject({ repositories_total: 2, repositories_done: 1, repositories_failed: 1 });

    host.fault = () => undefined;
    host.requests.length = 0;
    platform.clock.advance(20);
    platform.running.syncJobs.wake();
    const run = await queue.until(id, runId, 'complete');
    expect(run.error).toBeNull();
    expect(run.progress).toMatchObject({ repositories_done: 2, repositories_failed: 0 });
    expect(await storedCommits()).toEqual({ 'acme/api': 3, 'acme/web': 2 });
    expect(host.requests.filter(({ path }) => path.includes('/api'))).toEqual([]);
  });

  it('tries three repositories of a host that is down, and leaves the others to the next attempt', async () => {
    const names = ['acme/a', 'acme/b', 'acme/c', 'acme/d', 'acme/e'];
    const host = await startHostA(...names.map((name) => hostARepository(name, { commits: commits(1) })));
    host.fault = () => 'cut';
    const integration = await queue.connect('host_a', host.url, host.token);
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: names });
    const runId = await queue.start(id);
    await eventually(async () => (await queue.read(id, runId)).error).toContain('acme/c: ');
    expect(new Set(host.requests.map(({ path }) => path))).toEqual(
      new Set(['/repos/acme/a', '/repos/acme/b', '/repos/acme/c']),
    );
    host.fault = () => undefined;
    platform.clock.advance(20);
    platform.running.syncJobs.wake();
    const run = await queue.until(id, runId, 'complete');
    expect(run.progress).toMatchObject({ repositories_done: 5, repositories_failed: 0 });
  });

  it('uses the configuration as it was when the run was requested', async () => {
    const host = await startHostA(hostARepository('acme/api', { commits: commits(3) }), hostARepository('acme/web'));
    host.fault = () => 'cut';
    const integration = await queue.connect('host_a', host.url, host.token);
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: ['acme/api'] });
    const runId = await queue.start(id);
    await eventually(async () => (await queue.read(id, runId)).error).toContain('acme/api: ');
    const body = { repositories: ['acme/web'] };
    await platform.json('PATCH', `/api/v1/admin/sync-configs/${id}`, { token: owner.accessToken, body });
    host.fault = () => undefined;
    platform.clock.advance(20);
    platform.running.syncJobs.wake();
    await queue.until(id, runId, 'complete');
    expect(await storedCommits()).toEqual({ 'acme/api': 3 });
  });

  it('retries with increasing delays, and gives up after six attempts', async () => {
    const host = await startHostA(hostARepository('acme/api'));
    host.fault = () => 'cut';
    const integration = await queue.connect('host_a', host.url, host.token);
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: ['acme/api'] });
    const runId = await queue.start(id);
    const delays: number[] = [];
    for (let attempt = 1; attempt < 6; attempt += 1) {
      const due = async (): Promise<number | undefined> => {
        const [row] = await platform.database.sql<{ due: Date }[]>`
          select available_at as due from sync_runs
          where id = ${runId} and status = 'pending' and attempts = ${attempt}`;
        return row?.due.getTime();
      };
      await eventually(due).toBeDefined();
      const delay = (((await due()) ?? 0) - platform.clock.now().getTime()) / 1000;
      delays.push(15 * Math.round(delay / 15));
      platform.clock.advance(delay + 1);
      platform.running.syncJobs.wake();
    }
    expect(delays).toEqual([15, 30, 60, 120, 240]);
    expect((await queue.until(id, runId, 'failed')).error).toMatch(/^acme\/api: /);
  });

  it('fails when the integration was switched off, or its token was encrypted with another key', async () => {
    const integration = await queue.connect('host_a', 'http://127.0.0.1:1', 'token');
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: ['acme/api'] });
    await platform.database.sql`update integrations set secret_sealed = '\\x01' where id = ${integration}`;
    const sealed = await queue.until(id, await queue.start(id), 'failed');
    expect(sealed.error).toMatch(/^The stored token cannot be decrypted/);
    await platform.database.sql`update integrations set is_active = false where id = ${integration}`;
    const off = await queue.until(id, await queue.start(id), 'failed');
    expect(off.error).toBe('The integration of this configuration has been deleted or disabled. Connect it again.');
  });

  it('is not sent to an address that is neither public nor allowed', async () => {
    const integration = await queue.connect('host_a', 'https://ghe.example.com', 'token');
    const bad = 'http://169.254.169.254/';
    await platform.database.sql`update integrations set base_url = ${bad} where id = ${integration}`;
    const id = await queue.configure({ provider: 'host_a', integration_id: integration, repositories: ['acme/api'] });
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toContain('must not be an address of a private network');
  });
});

describe('a run on the other code host', () => {
  it('reads projects by number, by path and by pattern', async () => {
    const host = await startHostB(
      hostBProject(7, 'acme/api'),
      hostBProject(8, 'acme/web'),
      hostBProject(9, 'acme/lib'),
    );
    const integration = await queue.connect('host_b', `${host.url}/api/v4`, 'token-of-host-b');
    const repositories = ['7', 'acme/web', 'acme/l*'];
    const id = await queue.configure({ provider: 'host_b', integration_id: integration, repositories });
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.progress).toMatchObject({ repositories_total: 3, repositories_done: 3 });
    expect(Object.keys(await storedCommits())).toEqual(['acme/api', 'acme/lib', 'acme/web']);
  });
});

describe('a run of local repositories', () => {
  const outside = join(tmpdir(), `plumbline-outside-${process.pid}`);

  afterEach(() => rm(outside, { recursive: true, force: true }));

  const useLocalOrganization = async (): Promise<void> => {
    owner = await signUpWithOrganizationId(platform, localOrganizations.pop() ?? '');
    queue = queueOf(platform, owner);
  };

  it('reads nothing for an organization that the operator names no more', async () => {
    await mkdir(join(localRoot, 'secret-project'));
    initRepository(join(localRoot, 'secret-project'));
    await writeHistory(join(localRoot, 'secret-project'), 3);
    // Created while the operator named the organization: now it would be refused.
    const id = await queue.configure({ provider: 'synthetic', repositories: ['secret-project', '*', localRoot] });
    await platform.database.sql`update sync_configs set provider = 'local' where id = ${id}`;
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toContain(
      'secret-project is on the server, which does not share a directory with this organization',
    );
    expect(await storedCommits()).toEqual({});
  });

  it('reads directories below SYNC_LOCAL_ROOT, and none that a link leads to from there', async () => {
    await useLocalOrganization();
    for (const name of ['one', 'two']) {
      await mkdir(join(localRoot, 'team', name), { recursive: true });
      initRepository(join(localRoot, 'team', name));
      await writeHistory(join(localRoot, 'team', name), 3);
    }
    await mkdir(outside);
    initRepository(outside);
    await symlink(outside, join(localRoot, 'team', 'link'));
    const repositories = ['team/*', 'team/link', outside, '../'];
    const id = await queue.configure({ provider: 'local', repositories });
    const run = await queue.until(id, await queue.start(id), 'partial');
    expect(run.progress).toMatchObject({ repositories_total: 5, repositories_done: 2, repositories_failed: 3 });
    for (const refused of ['team/link', outside, '../']) {
      expect(run.error).toContain(`${refused}: ${refused} is not a directory below SYNC_LOCAL_ROOT.`);
    }
    expect(await storedCommits()).toEqual({ one: 3, two: 3 });
  });

  it('removes commits of a rewritten history only if its configuration says so, and notes it', async () => {
    await useLocalOrganization();
    const path = join(localRoot, 'rewritten');
    await mkdir(path);
    initRepository(path);
    await writeHistory(path, 4);
    git(path, 'checkout', '--quiet', 'main');
    const id = await queue.configure({ provider: 'local', repositories: ['rewritten'] });
    await queue.until(id, await queue.start(id), 'complete');
    git(path, 'commit', '--quiet', '--amend', '--message', 'fix: amended');
    await queue.until(id, await queue.start(id), 'complete');
    expect(await storedCommits()).toEqual({ rewritten: 5 });

    const body = { prune: true };
    await platform.json('PATCH', `/api/v1/admin/sync-configs/${id}`, { token: owner.accessToken, body });
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(await storedCommits()).toEqual({ rewritten: 4 });
    expect(run.notes).toContain('rewritten (git): removed 1 commit that the rewritten history no longer has');
  });
});

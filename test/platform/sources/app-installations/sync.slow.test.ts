import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitData } from '../../../support/hosts/host-a-bodies.js';
import { hostARepository, problem } from '../../../support/hosts/host-a.js';
import type { HostRequest } from '../../../support/hosts/server.js';
import type { TestUser } from '../../../support/platform.js';
import { queueOf, type Queue } from '../sync-runs/jobs/queue.js';
import { startAppPlatform, type AppPlatform } from './app-platform.js';

let parts: AppPlatform;
let owner: TestUser;
let queue: Queue;

/** Runs are executed in processes, as a server does it. */
beforeAll(async () => {
  parts = await startAppPlatform({ environment: { SYNC_JOBS: '1' } });
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  parts.app.host.requests.length = 0;
  parts.app.tokenLifetimeMs = 3_600_000;
  parts.app.repositories = [hostARepository('acme/api', { commits: commits(7) }), hostARepository('acme/hidden')];
  owner = await parts.platform.signUp();
  queue = queueOf(parts.platform, owner);
});

afterAll(() => parts.stop());

function commits(count: number): CommitData[] {
  return Array.from({ length: count }, (_, n) => ({
    sha: (count - n).toString(16).padStart(40, '0'),
    date: `2026-03-${String(20 - n).padStart(2, '0')}T10:00:00Z`,
    parents: n === count - 1 ? [] : [(count - n - 1).toString(16).padStart(40, '0')],
  }));
}

async function configured(repositories: readonly string[] = ['acme/api']): Promise<string> {
  const { id } = await parts.connect(owner, parts.app.install('acme', ['acme/api']));
  return queue.configure({ provider: 'host_a', integration_id: id, targets: ['git', 'prs'], repositories });
}

async function storedCommits(): Promise<number> {
  const [row] = await parts.platform.database.sql`
    select count(*)::int as count from git_commits where org_id = ${owner.orgId}`;
  return Number(row?.['count']);
}

const isOfRepository = ({ path }: HostRequest): boolean => path.startsWith('/api/v3/repos/');

const authorizations = (): Set<string | undefined> =>
  new Set(parts.app.host.requests.filter(isOfRepository).map(({ headers }) => headers.authorization));

/** Everything that was stored or logged about a run. */
async function tracesOf(runId: string): Promise<string> {
  const [row] = await parts.platform.database.sql`
    select row_to_json(r)::text as text from sync_runs r where id = ${runId}`;
  return `${String(row?.['text'])} ${parts.platform.logLines.join('')}`;
}

describe('a run of an installation', () => {
  it('reads the repositories with a token of the installation', async () => {
    const id = await configured(['acme/*']);
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.progress).toMatchObject({ repositories_total: 1, repositories_failed: 0 });
    expect(await storedCommits()).toBe(7);
  });

  it('gets a new token when the host ends the first one in the middle', async () => {
    const id = await configured();
    let seen = 0;
    parts.app.host.fault = (request) => {
      if (isOfRepository(request)) seen += 1;
      if (seen === 3) parts.app.endTokens();
      return undefined;
    };
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.progress.repositories_failed).toBe(0);
    expect(await storedCommits()).toBe(7);
    expect(authorizations().size).toBe(2);
    const traces = await tracesOf(run.id);
    for (const secret of parts.app.secrets) expect(traces).not.toContain(secret);
  });

  it('gets a new token before the first one ends', async () => {
    parts.app.tokenLifetimeMs = 60_000;
    const id = await configured();
    const [used] = parts.app.secrets.filter((secret) => secret.startsWith('ghs_')).slice(-1);
    parts.app.tokenLifetimeMs = 3_600_000;
    await queue.until(id, await queue.start(id), 'complete');
    expect(authorizations().size).toBe(1);
    expect([...authorizations()].join()).not.toContain(used);
  });

  it('is tried again when the host does not renew the token for a while', async () => {
    const id = await configured();
    parts.app.endTokens();
    let failures = 0;
    parts.app.host.fault = ({ path }) => {
      if (!path.endsWith('/access_tokens') || failures >= 4) return undefined;
      failures += 1;
      return failures % 2 === 0 ? 'cut' : problem(500, 'Oops');
    };
    await queue.until(id, await queue.start(id), 'complete');
    expect(failures).toBe(4);
  });

  it.each([
    ['suspended', /suspended at the code host/],
    ['removed', /removed at the code host/],
  ] as const)('fails with the reason when the installation is %s in the middle', async (reason, message) => {
    const id = await configured();
    let seen = 0;
    parts.app.host.fault = (request) => {
      if (isOfRepository(request)) seen += 1;
      if (seen !== 3) return undefined;
      parts.app.endTokens();
      for (const installation of parts.app.installations.values()) installation.suspendedAt = '2026-03-02T09:00:00Z';
      if (reason === 'removed') parts.app.installations.clear();
      return undefined;
    };
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toMatch(message);
    const { body } = await parts.platform.json('GET', '/api/v1/admin/integrations', { token: owner.accessToken });
    expect(body.items).toMatchObject([{ is_active: false, inactive_reason: reason }]);
    // The next run asks the host nothing.
    parts.app.host.requests.length = 0;
    expect((await queue.until(id, await queue.start(id), 'failed')).error).toMatch(message);
    expect(parts.app.host.requests).toEqual([]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostBProject } from '../../../../support/hosts/host-b.js';
import type { HostRequest } from '../../../../support/hosts/server.js';
import type { TestUser } from '../../../../support/platform.js';
import { queueOf, type Queue } from '../../sync-runs/jobs/queue.js';
import { startGitlabPlatform, type GitlabPlatform } from './gitlab-platform.js';

let parts: GitlabPlatform;
let owner: TestUser;
let queue: Queue;

/** Runs are executed in processes, as a server does it. */
beforeAll(async () => {
  parts = await startGitlabPlatform({ environment: { SYNC_JOBS: '1' } });
});

beforeEach(async () => {
  parts.app.host.fault = () => undefined;
  parts.app.host.requests.length = 0;
  parts.app.lifetimeSeconds = 7200;
  parts.app.projects = [hostBProject(1, 'acme/api', { commits: commits(5) })];
  owner = await parts.platform.signUp();
  queue = queueOf(parts.platform, owner);
});

afterAll(() => parts.stop());

function commits(count: number): Record<string, unknown>[] {
  const sha = (n: number): string => (count - n).toString(16).padStart(40, '0');
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: sha(n), parent_ids: n === count - 1 ? [] : [sha(n + 1)], message: 'A change', title: 'A change' },
    ...{ author_name: 'Ada', author_email: 'ada@acme.test', committer_name: 'Ada', committer_email: 'ada@acme.test' },
    ...{ authored_date: `2026-03-${20 - n}T10:00:00Z`, committed_date: `2026-03-${20 - n}T10:00:00Z` },
    ...{ created_at: `2026-03-${20 - n}T10:00:00Z`, stats: { additions: 1, deletions: 0, total: 1 } },
  }));
}

async function configured(): Promise<string> {
  const { id } = await parts.connect(owner);
  return queue.configure({
    ...{ provider: 'host_b', integration_id: id, targets: ['git', 'prs'], repositories: ['acme/api'] },
  });
}

async function storedCommits(): Promise<number> {
  const [row] = await parts.platform.database.sql`
    select count(*)::int as count from git_commits where org_id = ${owner.orgId}`;
  return Number(row?.['count']);
}

const isOfProject = ({ path }: HostRequest): boolean => path.startsWith('/api/v4/projects/');

describe('a run of an integration by the application of GitLab', () => {
  it('reads the projects, and gets the next token when the host ends the first one in the middle', async () => {
    const id = await configured();
    let seen = 0;
    parts.app.host.fault = (request) => {
      if (isOfProject(request)) seen += 1;
      // As if another server had exchanged the tokens: the refresh token that is stored still works.
      const current = parts.app.grants.at(-1);
      if (seen === 2 && current !== undefined) Object.assign(current, { endsAt: 0 });
      return undefined;
    };
    const run = await queue.until(id, await queue.start(id), 'complete');
    expect(run.progress).toMatchObject({ repositories_total: 1, repositories_failed: 0 });
    expect(await storedCommits()).toBe(5);
    const authorizations = new Set(
      parts.app.host.requests.filter(isOfProject).map(({ headers }) => headers.authorization),
    );
    expect(authorizations.size).toBe(2);
    const [row] = await parts.platform.database.sql`
      select row_to_json(r)::text as text from sync_runs r where id = ${run.id}`;
    const traces = `${String(row?.['text'])} ${parts.platform.logLines.join('')}`;
    for (const secret of parts.app.secrets) expect(traces).not.toContain(secret);
  });

  it('fails with the reason when the authorization ends in the middle, and the next one asks the host nothing', async () => {
    const id = await configured();
    let seen = 0;
    parts.app.host.fault = (request) => {
      if (isOfProject(request)) seen += 1;
      if (seen === 2) parts.app.revokeAll();
      return undefined;
    };
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toMatch(/Connect GitLab again/);
    expect(await parts.list(owner)).toMatchObject([{ is_active: false, inactive_reason: 'removed' }]);
    parts.app.host.requests.length = 0;
    const next = await queue.until(id, await queue.start(id), 'failed');
    expect(next.error).toMatch(/Connect the integration again/);
    expect(parts.app.host.requests).toEqual([]);
  });
});

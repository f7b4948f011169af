import { describe, expect, it } from 'vitest';
import type { HostB, HostBProjectData } from '../support/hosts/host-b.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync } from './harness.js';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The merge requests 1 to `count`, latest update first. */
function mergeRequests(count: number): Record<string, unknown>[] {
  return numbers(count).map((iid) => ({
    iid,
    title: `Change ${iid}`,
    state: 'opened',
    author: { username: 'ada' },
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: new Date(NOW - iid * 60_000).toISOString(),
    sha: 'a'.repeat(40),
  }));
}

/** Their sizes and commits; a query that includes one of `slow` takes too long. */
function details(count: number, slow: readonly number[]): HostBProjectData['details'] {
  const size = { additions: 5, deletions: 1, fileCount: 1 };
  return Object.fromEntries(
    numbers(count).map((iid) => [iid, { commits: ['c'.repeat(40)], size, isSlow: slow.includes(iid) }]),
  );
}

async function synced(host: HostB, db: string, target = 'prs') {
  const heard = noted();
  const wanted = { target, provider: 'gitlab', db, hostBUrl: host.url, auth: host.token, projectId: '7' };
  const summary = await sync(wanted, heard.dependencies);
  const rows = await storedRows(db, onlyId(summary));
  const requests = rows['git_pull_requests'] ?? [];
  const withSize = requests.filter((row) => row['additions'] !== null).map((row) => row['number']);
  return { repository: summary.repositories[0], notes: heard.notes, rows, requests, withSize };
}

describe('what host_b cannot answer', () => {
  it('are the details of single merge requests that time out: the others have theirs, and the next sync asks again', async () => {
    const project = hostBProject(7, 'group/widgets', {
      mergeRequests: mergeRequests(60),
      details: details(60, [4, 30]),
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    const first = await synced(host, db);
    const note =
      'the reviews of 2 merge requests are unknown, because the host does not show their notes; ' +
      'the sizes and commits of 2 merge requests are unknown, because the host does not show their details; ' +
      'the next sync reads 2 of them again, because the host did not answer in time';
    expect(first.repository).toMatchObject({ status: 'ok', notes: [note], records: { work_units: 60 } });
    expect(first.withSize).toEqual(numbers(60).filter((number) => number !== 4 && number !== 30));
    project.details = details(60, [30]);
    const second = await synced(host, db);
    expect(second.withSize).toEqual(numbers(60).filter((number) => number !== 30));
    expect(second.repository?.notes).toHaveLength(1);
    project.details = details(60, []);
    const third = await synced(host, db);
    expect([third.withSize, third.notes]).toEqual([numbers(60), []]);
    host.requests.length = 0;
    await synced(host, db);
    expect(host.requests.filter(({ query }) => query.has('iids[]'))).toEqual([]);
  });

  it('are all details while the host is overloaded: it is asked only a few times, and again by the next sync', async () => {
    const project = hostBProject(7, 'group/widgets', {
      mergeRequests: mergeRequests(150),
      details: details(150, numbers(150)),
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    const first = await synced(host, db);
    expect(first.repository).toMatchObject({ status: 'ok', records: { git_pull_requests: 150 } });
    expect([first.withSize, first.requests.length]).toEqual([[], 150]);
    expect(host.requests.filter(({ path }) => path === '/api/graphql').length).toBeLessThan(60);
    project.details = details(150, []);
    const second = await synced(host, db);
    expect([second.withSize, second.notes]).toEqual([numbers(150), []]);
  });

  it('are details that it hides from the token: a note has their number', async () => {
    const project = hostBProject(7, 'group/widgets', { mergeRequests: mergeRequests(1), details: details(1, []) });
    const host = await startHostB(project);
    host.fault = ({ path }) =>
      path === '/api/graphql' ? { status: 200, body: { data: { project: null } } } : undefined;
    const { repository } = await synced(host, sqliteUri());
    expect(repository?.notes).toEqual([
      'the reviews of 1 merge request are unknown, because the host does not show its notes; ' +
        'the sizes and commits of 1 merge request are unknown, because the host does not show its details',
    ]);
  });

  it.each([
    ['prs', 'git_pull_requests'],
    ['issues', 'issues'],
    ['issues', 'issue_state_changes'],
  ])(
    'are pages beyond its offset limit: %s are read before the time of the last entry, to the end (%s)',
    async (target, table) => {
      const issues = mergeRequests(450).map((request) => ({ ...request, labels: [] }));
      const events = numbers(450).map((id) => ({
        id,
        action_name: 'closed',
        target_iid: id,
        author_username: 'ada',
        created_at: new Date(NOW - id * 3_600_000).toISOString(),
      }));
      const host = await startHostB(
        hostBProject(7, 'group/widgets', { mergeRequests: mergeRequests(450), issues, events }),
      );
      host.mostOffset = 200;
      const { repository, rows } = await synced(host, sqliteUri(), target);
      expect(repository).toMatchObject({ status: 'ok' });
      const isEvent = table === 'issue_state_changes';
      expect(rows[table]?.filter((row) => !isEvent || row['state'] === 'closed')).toHaveLength(450);
    },
  );

  it('is a page of a list that is too large: it is read in parts, and what fails alone is skipped with a note', async () => {
    const host = await startHostB(hostBProject(7, 'group/widgets', { mergeRequests: mergeRequests(120) }));
    host.fault = ({ path, query }) => {
      const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))];
      const isIncluded = 77 > size * (page - 1) && 77 <= size * page;
      return path.endsWith('/merge_requests') && isIncluded ? refusal(500, 'Internal Server Error') : undefined;
    };
    const { repository, requests } = await synced(host, sqliteUri());
    expect(repository).toMatchObject({ status: 'ok', notes: ['skipped 1 entry that the host cannot answer'] });
    expect(requests.map((row) => row['number'])).toEqual(numbers(120).filter((number) => number !== 77));
  });

  it('never delays newer merge requests: they are read first, then what an interrupted sync left', async () => {
    const project = hostBProject(7, 'group/widgets', { mergeRequests: mergeRequests(250) });
    const host = await startHostB(project);
    const db = sqliteUri();
    host.fault = ({ query }) => (query.get('page') === '2' ? refusal(403, 'Forbidden') : undefined);
    const stopped = await synced(host, db);
    expect(stopped.repository).toMatchObject({ error: { code: 'unauthorized' }, records: { work_units: 100 } });
    const [newest = {}] = mergeRequests(1);
    project.mergeRequests.unshift({ ...newest, iid: 251, updated_at: new Date(NOW).toISOString() });
    expect((await synced(host, db)).requests.map((row) => row['number'])).toEqual([...numbers(100), 251]);
    host.fault = () => undefined;
    expect((await synced(host, db)).requests).toHaveLength(251);
  });

  it.each([
    ['500', refusal(500, 'Internal Server Error')],
    ['404', refusal(404, 'File Not Found')],
  ])(
    'is the blame of one file that answers %s: it is skipped with a note, the others are stored',
    async (_name, fault) => {
      const commit = { id: 'a'.repeat(40), author_name: 'Ada', authored_date: '2026-01-01T00:00:00Z' };
      const lines = [{ commit, lines: ['one'] }];
      const host = await startHostB(
        hostBProject(7, 'group/widgets', { commits: [commit], files: { 'a.ts': lines, 'b.ts': lines, 'c.ts': lines } }),
      );
      host.fault = ({ path }) => (path.includes('b.ts') ? fault : undefined);
      const { repository, rows } = await synced(host, sqliteUri(), 'blame');
      expect(repository).toMatchObject({
        status: 'ok',
        notes: ['skipped b.ts: the host returned no blame; the next commit is another try'],
      });
      expect(rows['git_blame']?.map((row) => row['path'])).toEqual(['a.ts', 'c.ts']);
    },
  );
});

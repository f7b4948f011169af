import { describe, expect, it } from 'vitest';
import type { HostA, Node } from '../support/hosts/host-a.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { NOW, noted, onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { commits, host, options, pullRequest } from './host-a-fixture.js';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Pull requests 1 to `count`, newest first, with others in the place of some. */
function requests(count: number, instead: Readonly<Record<number, Node>> = {}): Node[] {
  return numbers(count).map((number) => (number in instead ? (instead[number] ?? null) : pullRequest(number)));
}

/** A pull request with a comment whose date cannot be read. */
function broken(number: number): Node {
  return pullRequest(number, { comments: { totalCount: 1, nodes: [{ createdAt: 'yesterday' }] } });
}

async function synced(started: HostA, db: string, target = 'prs') {
  const { notes, dependencies } = noted();
  const summary = await sync(options(started, db, { target }), dependencies);
  const [repository] = summary.repositories;
  const rows = await storedRows(db, onlyId(summary));
  return { repository, notes, rows, stored: (rows['git_pull_requests'] ?? []).map((row) => row['number']) };
}

describe('what host_a cannot answer', () => {
  it('is read in smaller pages', async () => {
    const started = await host(hostARepository('acme/widgets', { pullRequests: requests(60) }));
    started.largestPage = 10;
    const { repository, notes, stored } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'ok', records: { git_pull_requests: 60, work_units: 60 } });
    expect([stored, notes]).toEqual([numbers(60), []]);
  });

  it('is skipped with a note in the run and in the summary, if not even a page of one is answered', async () => {
    const pullRequests = requests(40, { 7: 'too heavy', 30: 'too heavy', 40: 'too heavy' });
    const started = await host(hostARepository('acme/widgets', { pullRequests }));
    const { repository, notes, stored } = await synced(started, sqliteUri());
    const note = 'skipped 3 entries that the host cannot answer';
    expect(repository).toMatchObject({ status: 'ok', notes: [note], records: { work_units: 37 } });
    expect(notes).toEqual([`acme/widgets (prs): ${note}`]);
    expect(stored).toEqual(numbers(40).filter((number) => ![7, 30, 40].includes(number)));
  });

  it('does not count as skipped while the host answers nothing at all: the sync fails', async () => {
    const started = await host(hostARepository('acme/widgets', { pullRequests: requests(3) }));
    started.fault = ({ body }) => (body.includes('pullRequests(') ? problem(502, 'Bad Gateway') : undefined);
    const { repository, stored } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'failed', error: { code: 'host_unavailable' } });
    expect(stored).toEqual([]);
  });

  it('is counted as hidden if the token may not see single entries, and the others are stored', async () => {
    const started = await host(hostARepository('acme/widgets', { pullRequests: requests(30, { 3: null, 28: null }) }));
    const { repository, notes, stored } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'ok', records: { git_pull_requests: 28, work_units: 28 } });
    expect(notes).toEqual(['acme/widgets (prs): the host hides 2 entries from the token']);
    expect(stored).toHaveLength(28);
  });

  it('is an error if the token may not see the list', async () => {
    const started = await host(hostARepository('acme/widgets'));
    const error = { type: 'FORBIDDEN', path: ['repository', 'pullRequests'], message: 'SAML\nenforcement' };
    started.fault = ({ body }) =>
      body.includes('pullRequests(')
        ? { status: 200, body: { data: { repository: { pullRequests: null } }, errors: [error] } }
        : undefined;
    const { repository } = await synced(started, sqliteUri());
    expect(repository?.error).toEqual({ code: 'unauthorized', message: 'host_a refused it: SAML enforcement' });
  });

  it('never delays newer entries: they are read first, then what an interrupted sync left', async () => {
    const repository = hostARepository('acme/widgets', { pullRequests: requests(60) });
    const started = await host(repository);
    const db = sqliteUri();
    const isSecond = (body: string): boolean => body.includes('"after":"25"');
    started.fault = ({ body }) => (isSecond(body) ? problem(429, 'Too many', { 'retry-after': '600' }) : undefined);
    const stopped = await synced(started, db);
    expect(stopped.repository).toMatchObject({
      error: { code: 'rate_limited' },
      records: { git_pull_requests: 25, work_units: 25 },
    });
    repository.pullRequests.unshift(pullRequest(61, { updatedAt: new Date(NOW).toISOString() }));
    expect((await synced(started, db)).stored).toEqual([...numbers(25), 61]);
    repository.pullRequests.unshift(pullRequest(62, { updatedAt: new Date(NOW + 1).toISOString() }));
    started.fault = () => undefined;
    expect((await synced(started, db)).stored).toEqual(numbers(62));
  });

  it('is one entry if only its record is broken: the others are stored', async () => {
    const started = await host(hostARepository('acme/widgets', { pullRequests: requests(3, { 2: broken(2) }) }));
    const { repository, stored } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'ok', notes: ['skipped 1 entry that the host cannot answer'] });
    expect(stored).toEqual([1, 3]);
  });

  it('is one entry also if that is the only one of its page', async () => {
    const started = await host(hostARepository('acme/widgets', { pullRequests: requests(26, { 26: broken(26) }) }));
    const { repository, stored } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'ok', notes: ['skipped 1 entry that the host cannot answer'] });
    expect(stored).toEqual(numbers(25));
  });

  it('is a failure if the records of all entries of a page are broken', async () => {
    const pullRequests = requests(2, { 1: broken(1), 2: broken(2) });
    const started = await host(hostARepository('acme/widgets', { pullRequests }));
    const { repository } = await synced(started, sqliteUri());
    expect(repository).toMatchObject({ status: 'failed', error: { code: 'unexpected_reply' } });
  });

  it('is read in smaller pages from the REST API too, down to single entries', async () => {
    const issues = numbers(150).map((number) => ({
      number,
      updated_at: new Date(NOW - number * 60_000).toISOString(),
      labels: ['incident'],
    }));
    const started = await host(hostARepository('acme/widgets', { issues }));
    // The entries 44 and 150 take too long.
    started.fault = ({ path, query }) => {
      const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))];
      const includes = (entry: number): boolean => entry > size * (page - 1) && entry <= size * page;
      return path.endsWith('/issues') && [44, 150].some(includes) ? problem(502, 'Bad Gateway') : undefined;
    };
    const { repository, rows } = await synced(started, sqliteUri(), 'incidents');
    expect(repository).toMatchObject({ status: 'ok', notes: ['skipped 2 entries that the host cannot answer'] });
    expect(rows['incidents']).toHaveLength(148);
  });

  it('is asked for again after 202, which the host answers while it computes a list', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(2) }));
    let computing = 2;
    started.fault = ({ path }) =>
      path.endsWith('/commits') && (computing -= 1) >= 0 ? { status: 202, body: {} } : undefined;
    const { repository } = await synced(started, sqliteUri(), 'git');
    expect(repository).toMatchObject({ status: 'ok', records: { git_commits: 2 } });
  });
});

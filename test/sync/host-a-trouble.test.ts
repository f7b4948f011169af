import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/sync/summary.js';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import type { Fault, HostRequest } from '../support/hosts/server.js';
import { NOW, onlyId, sqliteUri, storedRows, sync, testDependencies } from './harness.js';
import { commits, host, options } from './host-a-fixture.js';

describe('sync from a failing host_a', () => {
  describe('when the host refuses', () => {
    it.each([
      ['a wrong token', 'wrong', undefined, 'unauthorized', /refused the token/],
      [
        'a repository that is missing, or private to a token without the scope repo',
        undefined,
        problem(404, 'Not Found'),
        'not_found',
        /scope repo/,
      ],
      ['a plain 403', undefined, problem(403, 'Must have admin rights'), 'unauthorized', /admin rights/],
      [
        'a reply that is not JSON',
        undefined,
        { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
        'unexpected_reply',
        /violates its API/,
      ],
    ] as const)('%s: fails at once with a code and a reason', async (_name, auth, fault, code, reason) => {
      const started = await host(hostARepository('acme/widgets'));
      if (fault !== undefined) started.fault = () => fault;
      const dependencies = testDependencies();
      const summary = await sync(options(started, sqliteUri(), auth === undefined ? {} : { auth }), dependencies);
      expect(summary.repositories[0]).toMatchObject({
        status: 'failed',
        error: { code, message: expect.stringMatching(reason) as string },
      });
      expect(exitCodeOf(summary)).toBe(1);
      expect([started.requests.length, dependencies.slept]).toEqual([1, []]);
      expect(JSON.stringify(summary)).not.toContain(started.token);
    });
  });

  it('does not follow a redirect to another origin, and sends no token there', async () => {
    const other = await host(hostARepository('acme/widgets'));
    const started = await host(hostARepository('acme/widgets'));
    started.fault = ({ path }) => ({ status: 301, headers: { location: `${other.url}${path}` }, body: '' });
    const dependencies = testDependencies();
    const summary = await sync(options(started, sqliteUri()), dependencies);
    expect(summary.repositories[0]?.error).toMatchObject({
      code: 'unexpected_reply',
      message: expect.stringContaining(`it redirects to another origin, ${other.url}`) as string,
    });
    expect([other.requests, dependencies.slept]).toEqual([[], []]);
  });

  describe('when the host fails', () => {
    const inSeconds = (seconds: number): string => String(NOW / 1000 + seconds);
    const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes.';

    it.each<[string, Fault, number]>([
      [
        'a primary limit with its reset time',
        problem(403, 'API rate limit exceeded', {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': inSeconds(120),
        }),
        121_000,
      ],
      [
        'a reset time beyond the cap',
        problem(403, 'API rate limit exceeded', {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': inSeconds(3000),
        }),
        300_000,
      ],
      ['a secondary limit with Retry-After', problem(403, secondary, { 'retry-after': '30' }), 30_000],
      ['a secondary limit without one', problem(403, secondary), 60_000],
      ['429 with Retry-After', problem(429, 'Too many', { 'retry-after': '7' }), 7_000],
      ['429 with a date', problem(429, 'Too many', { 'retry-after': new Date(NOW + 9000).toUTCString() }), 9_000],
      ['500', problem(500, 'Server Error'), 750],
      ['502 with Retry-After', problem(502, 'Bad Gateway', { 'retry-after': '5' }), 5_000],
      ['a cut connection', 'cut', 750],
      ['a reply cut in the middle', 'cut in the middle', 750],
    ])('%s: waits as long as required, then continues', async (_name, fault, wait) => {
      const started = await host(hostARepository('acme/widgets', { commits: commits(2) }));
      started.fault = (_request, number) => (number === 3 ? fault : undefined);
      const dependencies = testDependencies();
      const summary = await sync(options(started, sqliteUri()), dependencies);
      expect(summary.repositories[0]).toMatchObject({
        status: 'ok',
        records: { git_commits: 2, git_commit_stats: 2 },
      });
      expect(dependencies.slept).toEqual([wait]);
    });

    it('gives up after five attempts with increasing delays', async () => {
      const started = await host(hostARepository('acme/widgets'));
      started.fault = () => problem(503, 'Unavailable');
      const dependencies = testDependencies();
      const summary = await sync(options(started, sqliteUri()), dependencies);
      expect(summary.repositories[0]?.error?.code).toBe('host_unavailable');
      expect([started.requests.length, dependencies.slept]).toEqual([5, [750, 1500, 3000, 6000]]);
    });

    it('resumes where a rate limit stopped it', async () => {
      const started = await host(hostARepository('acme/widgets', { commits: commits(90) }));
      const isOld = (request: HostRequest): boolean =>
        /\/commits\/\d+$/.test(request.path) && Number(request.path.slice(-40)) <= 50;
      started.fault = (request) => (isOld(request) ? problem(429, 'Too many', { 'retry-after': '600' }) : undefined);
      const db = sqliteUri();
      const stopped = await sync(options(started, db));
      expect(stopped.repositories[0]).toMatchObject({
        status: 'failed',
        records: { git_commits: 25 },
        error: { code: 'rate_limited' },
      });
      started.fault = () => undefined;
      started.requests.length = 0;
      const finished = await sync(options(started, db));
      expect(finished.repositories[0]?.records).toMatchObject({ git_commits: 65, git_commit_stats: 25 });
      const whole = sqliteUri();
      const uninterrupted = await sync(options(started, whole));
      expect(await storedRows(db, onlyId(finished))).toEqual(await storedRows(whole, onlyId(uninterrupted)));
    });

    it('makes all workers of a batch wait for the same rate limit', async () => {
      const started = await host(
        ...['acme/one', 'acme/two', 'acme/three'].map((name) => hostARepository(name, { commits: commits(1) })),
      );
      let limited = true;
      started.fault = (request) => {
        if (!limited || !request.path.endsWith('/commits')) return undefined;
        limited = false;
        return problem(429, 'Too many', { 'retry-after': '100' });
      };
      const waits: number[] = [];
      const dependencies = testDependencies({ progress: { waiting: ({ seconds }) => waits.push(seconds) } });
      const summary = await sync(
        {
          target: 'git',
          provider: 'host_a',
          db: sqliteUri(),
          hostAUrl: started.url,
          auth: started.token,
          search: 'acme/*',
        },
        dependencies,
      );
      expect(summary.repositories.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
      expect(waits).toEqual([100]);
    });
  });
});

it('says that connectors are not available where the package is missing', async () => {
  const dependencies = testDependencies({ importConnector: () => Promise.reject(new Error('Cannot find package')) });
  const run = sync(
    { target: 'git', provider: 'host_a', db: sqliteUri(), auth: 'x', owner: 'a', repo: 'b' },
    dependencies,
  );
  await expect(run).rejects.toMatchObject({
    code: 'connectors_missing',
    message: expect.stringMatching(/^Connectors are not available: .*npm install octokit$/) as string,
  });
});

import { describe, expect, it } from 'vitest';
import { hostARepository, problem } from '../support/hosts/host-a.js';
import { hostBProject, refusal, startHostB } from '../support/hosts/host-b.js';
import { sqliteUri } from '../sync/harness.js';
import { commits, host } from '../sync/host-a-fixture.js';
import { printedSummary, runSyncProcess } from './sync-process.js';

describe('plumbline sync from a host', () => {
  it('takes the token from the environment, follows the Link headers, and prints no token', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(130) }));
    const finished = await runSyncProcess(
      [
        ...['git', '--provider', 'github', '--owner', 'acme', '--repo', 'widgets', '--host-a-url', started.url],
        ...['--max-commits-per-repo', '120', '--db', sqliteUri(), '--json'],
      ],
      { environment: { HOST_A_TOKEN: started.token } },
    );
    expect(finished.exitCode).toBe(0);
    expect(printedSummary(finished).repositories[0]).toMatchObject({
      name: 'acme/widgets',
      records: { git_commits: 120, git_commit_stats: 50 },
    });
    expect(finished.stdout + finished.stderr).not.toContain(started.token);
  });

  it('says that a 404 may mean a token without the scope repo, and exits with 1', async () => {
    const started = await host(hostARepository('acme/widgets'));
    const finished = await runSyncProcess([
      ...['git', '--provider', 'host_a', '--owner', 'acme', '--repo', 'secret', '--host-a-url', started.url],
      ...['--auth', started.token, '--db', sqliteUri()],
    ]);
    expect(finished).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/failed: acme\/secret: .*not found.*token without the scope repo/) as string,
    });
    expect(finished.stderr).not.toContain(started.token);
  });

  it('reports that it waits for a rate limit, then continues', async () => {
    const started = await host(hostARepository('acme/widgets', { commits: commits(2) }));
    started.fault = (_request, number) => (number === 2 ? problem(429, 'Too many', { 'retry-after': '1' }) : undefined);
    const finished = await runSyncProcess([
      ...['git', '--provider', 'host_a', '--owner', 'acme', '--repo', 'widgets', '--host-a-url', started.url],
      ...['--auth', started.token, '--db', sqliteUri()],
    ]);
    expect(finished).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^waiting 1 s: host_a: rate limit$/m) as string,
    });
  });

  it('exits with 3 if some repositories of a batch fail, and lists them', async () => {
    const started = await host(
      ...['acme/api-1', 'acme/api-2', 'acme/web'].map((name) => hostARepository(name, { commits: commits(1) })),
    );
    started.fault = (request) =>
      request.path === '/repos/acme/api-2/commits' ? problem(403, 'Must have admin rights') : undefined;
    const finished = await runSyncProcess([
      ...['git', '--provider', 'host_a', '-s', 'acme/api-*', '--host-a-url', started.url, '--auth', started.token],
      ...['--max-concurrent', '2', '--rate-limit-delay', '0', '--db', sqliteUri(), '--json'],
    ]);
    expect(finished.exitCode).toBe(3);
    expect(printedSummary(finished).repositories.map(({ name, status }) => [name, status])).toEqual([
      ['acme/api-1', 'ok'],
      ['acme/api-2', 'failed'],
    ]);
    expect(finished.stderr).toMatch(/1 repository done, 1 failed;.*\n {2}failed: acme\/api-2: .*admin rights.*\n$/);
  });

  it('names the scopes that a self-hosted host_b requires', async () => {
    const started = await startHostB(hostBProject(7, 'group/widgets'));
    started.fault = () => refusal(403, 'insufficient_scope');
    const finished = await runSyncProcess(
      ['prs', '--provider', 'gitlab', '--project-id', '7', '--host-b-url', started.url, '--db', sqliteUri()],
      { environment: { HOST_B_TOKEN: started.token } },
    );
    expect(finished).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/read_api and read_repository/) as string,
    });
  });
});

it.each([
  ['octokit', 'host_a', ['--owner', 'acme', '--repo', 'widgets', '--auth', 'x']],
  ['@gitbeaker/rest', 'host_b', ['--project-id', '7']],
])('without the package %s, plumbline sync says that connectors are not available', async (name, provider, more) => {
  const finished = await runSyncProcess(['git', '--provider', provider, ...more, '--db', sqliteUri()], {
    environment: { NODE_OPTIONS: withoutPackage(name) },
  });
  expect(finished).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`Connectors are not available: .*\\. Install it with: npm install ${name}\\n$`),
    ) as string,
  });
});

/** Options of node under which a package is not there. */
function withoutPackage(name: string): string {
  const hooks = `export function resolve(specifier, context, next) {
    if (specifier === ${JSON.stringify(name)}) throw new Error('Cannot find package');
    return next(specifier, context);
  }`;
  const hooked = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
  return `--import=${dataUrl(hooked)}`;
}

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

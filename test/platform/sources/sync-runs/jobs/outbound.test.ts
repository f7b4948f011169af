import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runSyncJob } from '../../../../../src/platform/sources/sync-runs/jobs/run-sync-job.js';
import type { StepResult, SyncJob } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { giteaRepository, startGiteaDouble } from '../../../../support/hosts/gitea.js';
import { hostARepository, startHostA } from '../../../../support/hosts/host-a.js';
import { hostBProject, startHostB } from '../../../../support/hosts/host-b.js';
import { jiraSite, startJiraDouble } from '../../../../support/hosts/jira.js';
import type { Host } from '../../../../support/hosts/server.js';
import { sqliteUri, testDependencies } from '../../../../sync/harness.js';

const tokens = {
  host_a: 'token-of-host-a',
  host_b: 'token-of-host-b',
  gitea: 'gitea-token-of-the-test',
  jira: 'personal-token-of-the-test',
} as const;

const repositories = { host_a: 'acme/widgets', host_b: '7', gitea: 'acme/widgets', jira: 'SHOP' } as const;

async function run(provider: keyof typeof tokens, baseUrl: string, networks: readonly string[]): Promise<StepResult> {
  const job: SyncJob = {
    orgId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    provider,
    targets: [provider === 'jira' ? 'issues' : 'prs'],
    repositories: [repositories[provider]],
    credential: { token: tokens[provider], baseUrl, expiresAt: null },
    store: sqliteUri(),
    locks: null,
    integrationNetworks: networks,
    periodDays: 365,
    recordDays: null,
    mostRequests: 1000,
    localRoot: null,
    rulesFile: null,
    prune: false,
    isDemo: false,
    finished: [],
    recordsBefore: 0,
  };
  const steps: StepResult[] = [];
  await runSyncJob(job, testDependencies(), {
    progress: () => undefined,
    note: () => undefined,
    step: (step) => steps.push(step),
    freshToken: () => Promise.reject(new Error('the token stays')),
  });
  const [step] = steps;
  if (step === undefined) throw new Error('the job has reported no step');
  return step;
}

/** Why the repository was not read; undefined: it was. */
function failureOf({ repositories }: StepResult): string | undefined {
  return repositories[0]?.error?.message;
}

const hosts = {
  host_a: () => startHostA(hostARepository('acme/widgets')),
  host_b: () => startHostB(hostBProject(7, 'acme/widgets')),
  gitea: () => startGiteaDouble(giteaRepository('acme/widgets')),
  jira: () => startJiraDouble(jiraSite({ isCloud: false })),
} as const;

const paths = { host_a: '', host_b: '/api/v4', gitea: '/api/v1/', jira: '/rest/api/2' } as const;

describe.each(['host_a', 'host_b', 'gitea', 'jira'] as const)('a sync run of an organization on %s', (provider) => {
  const start: () => Promise<Host> = hosts[provider];

  it('sends nothing to a name that resolves to this machine', async () => {
    const host = await start();
    const step = await run(provider, host.url.replace('127.0.0.1', 'localhost'), []);
    expect(failureOf(step)).toMatch(/it cannot be reached$/);
    expect(host.requests).toEqual([]);
  });

  it('reads a host in a network that the operator allows', async () => {
    const host = await start();
    expect(failureOf(await run(provider, host.url, ['127.0.0.0/8']))).toBeUndefined();
    expect(host.requests.length).toBeGreaterThan(0);
  });

  it.each(['/', paths[provider]])('reads a host whose address users have written with %s at its end', async (end) => {
    const host = await start();
    expect(failureOf(await run(provider, host.url + end, ['127.0.0.0/8']))).toBeUndefined();
  });

  it('fails alike for a redirect to another origin, a closed port and an unknown name', async () => {
    const other = await start();
    const redirecting = await start();
    redirecting.fault = ({ path }) => ({ status: 302, headers: { location: `${other.url}${path}` }, body: '' });
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo; // listening on TCP
    await new Promise((resolve) => closed.close(resolve));
    const failures = [];
    for (const url of [redirecting.url, `http://127.0.0.1:${port}`, 'http://nothing.invalid']) {
      failures.push(failureOf(await run(provider, url, ['127.0.0.0/8'])));
    }
    expect(new Set(failures)).toEqual(new Set([expect.stringMatching(/it cannot be reached$/)]));
    expect(other.requests).toEqual([]);
  });
});

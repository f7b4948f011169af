import { afterEach, describe, expect, it } from 'vitest';
import type { StartExecution } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { createMovableClock } from '../../../../support/clock.js';
import { startTestPlatform, type TestPlatform } from '../../../../support/platform.js';
import { json, startCodeHostDouble, type CodeHostDouble } from '../../integrations/code-host-double.js';
import { executeWithoutSleep, eventually, queueOf, type Queue } from './queue.js';

let platform: TestPlatform;
let host: CodeHostDouble;
afterEach(() => Promise.all([platform.stop(), host.stop()]));

const clock = createMovableClock();

/** A host whose list of repositories never ends, and a queue with a server that works on it. */
async function endless(environment: Record<string, string>, executeSync: StartExecution): Promise<Queue> {
  host = await startCodeHostDouble();
  const full = { SYNC_JOBS: '1', ...environment };
  platform = await startTestPlatform({ environment: full, executeSync, clock });
  return queueOf(platform, await platform.signUp());
}

const pages = {
  host_a: (page: number) => json(200, [{ full_name: `acme/other-${page}` }], { link: '<http://x/>; rel="next"' }),
  host_b: (page: number) =>
    json(200, [{ id: page, path_with_namespace: `acme/other-${page}` }], { 'x-next-page': String(page + 1) }),
} as const;

function serveEndlessly(provider: 'host_a' | 'host_b'): void {
  host.answer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://host');
    pages[provider](Number(searchParams.get('page') ?? 1))(request, response);
  });
}

describe.each(['host_a', 'host_b'] as const)('a run on a %s whose list never ends', (provider) => {
  it('ends after SYNC_RUN_REQUESTS, and is not repeated', async () => {
    const queue = await endless({ SYNC_RUN_REQUESTS: '40' }, executeWithoutSleep);
    serveEndlessly(provider);
    const integration = await queue.connect(provider, host.url, 'token');
    const id = await queue.configure({ provider, integration_id: integration, repositories: ['acme/wanted-*'] });
    const run = await queue.until(id, await queue.start(id), 'failed');
    expect(run.error).toBe(
      'The run was ended after 40 requests to the code host. The data read so far is kept, and the next run resumes from there.',
    );
    expect(host.requests).toHaveLength(40);
  });

  it('ends at SYNC_RUN_DEADLINE, and is not repeated', async () => {
    const queue = await endless({ SYNC_RUN_DEADLINE: '600' }, executeWithoutSleep);
    serveEndlessly(provider);
    const integration = await queue.connect(provider, host.url, 'token');
    const id = await queue.configure({ provider, integration_id: integration, repositories: ['acme/wanted-*'] });
    const runId = await queue.start(id);
    await eventually(() => host.requests.length > 20).toBe(true);
    expect((await queue.read(id, runId)).status).toBe('running');
    clock.advance(601);
    const run = await queue.until(id, runId, 'failed');
    expect(run.error).toBe(
      'The run was ended because it took more than 600 seconds. The data read so far is kept, and the next run resumes from there.',
    );
  });
});

it('a run that has read a repository before it is ended is partial', async () => {
  const queue = await endless({ SYNC_RUN_DEADLINE: '600' }, (_job, report) => {
    report.step({
      selected: 'acme/api',
      target: 'git',
      repositories: [{ id: null, name: 'acme/api', status: 'ok', records: {}, error: null }],
      error: null,
    });
    let kill: () => void = () => undefined;
    const ended = new Promise<{ kind: 'died'; reason: string }>((resolve) => {
      kill = () => {
        resolve({ kind: 'died', reason: 'SIGKILL' });
      };
    });
    return { ended, stop: kill, kill };
  });
  const id = await queue.configure({ repositories: ['acme/api'] });
  const runId = await queue.start(id);
  await queue.until(id, runId, 'running');
  clock.advance(601);
  const run = await queue.until(id, runId, 'partial');
  expect(run.error).toMatch(/^The run was ended because it took more than 600 seconds\./);
});

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { executeHere } from '../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../src/sync/clock.js';
import { systemRandom } from '../../../src/sync/random.js';
import { queueOf } from '../../platform/sources/sync-runs/jobs/queue.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { ask, post } from './served.js';

const executeNow: StartExecution = (job, report) =>
  executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env });

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const dateRange = { startDate: day(300), endDate: day(0) };

const ASK = `query ($orgId: String!, $input: CodeHealthInput!) { codeHealth(orgId: $orgId, input: $input) {
  repo commits coverage rework { addedLines deletedLines reworkedLines share }
  directories { path changes authors busFactor } hotspots { path changes changedLines lines score } } }`;

let platform: TestPlatform;
let user: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: executeNow });
  user = await platform.signUp();
  stranger = await platform.signUp();
  const queue = queueOf(platform, user);
  const config = await queue.configure({ targets: ['git', 'blame'], repositories: ['a/b'] });
  const run = await queue.start(config);
  await vi.waitFor(async () => {
    expect((await queue.read(config, run)).status).toBe('complete');
  }, 100_000);
});
afterAll(() => platform.stop());

test('A repository has the figures of its commits, and nobody is named', async () => {
  const { codeHealth } = await ask(platform, user, ASK, { input: { repo: 'a/b', dateRange, topN: 3 } });
  expect(codeHealth).toMatchObject({ repo: 'a/b', coverage: 1 });
  expect(codeHealth.commits).toBeGreaterThan(10);
  const { addedLines, deletedLines, reworkedLines, share } = codeHealth.rework;
  expect(Math.min(addedLines, deletedLines)).toBeGreaterThanOrEqual(reworkedLines);
  expect(share).toBe(reworkedLines / deletedLines);
  expect([codeHealth.directories.length, codeHealth.hotspots.length]).toEqual([3, 3]);
  for (const { changes, authors, busFactor } of codeHealth.directories) {
    expect(busFactor).toBeGreaterThanOrEqual(1);
    expect(authors).toBeGreaterThanOrEqual(busFactor);
    expect(changes).toBeGreaterThanOrEqual(authors);
  }
  expect(codeHealth.hotspots[0].score).toBe(codeHealth.hotspots[0].changes * codeHealth.hotspots[0].lines);
  expect(JSON.stringify(codeHealth)).not.toContain('@');
});

test('Another organization, and another repository, have none', async () => {
  const input = { repo: 'a/b', dateRange };
  const nothing = { commits: 0, coverage: null, rework: null, directories: [], hotspots: [] };
  expect((await ask(platform, stranger, ASK, { input })).codeHealth).toEqual({ repo: 'a/b', ...nothing });
  const repo = "a/b' or '1";
  expect((await ask(platform, user, ASK, { input: { ...input, repo } })).codeHealth).toEqual({ repo, ...nothing });
});

test.each([
  ['too many items', { topN: 51 }, ['COST_LIMIT_EXCEEDED', 'max_top_n']],
  ['too many days', { dateRange: { ...dateRange, startDate: day(366) } }, ['COST_LIMIT_EXCEEDED', 'max_days']],
  ['a depth of 0', { depth: 0 }, ['VALIDATION_ERROR', undefined]],
  ['a depth of 11', { depth: 11 }, ['VALIDATION_ERROR', undefined]],
])('Limits refuse %s', async (_what, given, [code, name]) => {
  const variables = { orgId: user.orgId, input: { repo: 'a/b', dateRange, ...given } };
  const { errors } = await post(platform, user, { body: { query: ASK, variables } });
  expect(errors[0].extensions).toMatchObject({
    code,
    ...(name === undefined ? { field: 'input.depth' } : { limit_name: name }),
  });
});

test('A request has two repositories at most', async () => {
  const field = (alias: string): string => `${alias}: codeHealth(orgId: $orgId, input: $input) { repo }`;
  const query = (aliases: readonly string[]): string =>
    `query ($orgId: String!, $input: CodeHealthInput!) { ${aliases.map(field).join(' ')} }`;
  const variables = { orgId: user.orgId, input: { repo: 'a/b', dateRange } };
  const two = await post(platform, user, { body: { query: query(['one', 'two']), variables } });
  expect(two.data).toEqual({ one: { repo: 'a/b' }, two: { repo: 'a/b' } });
  const { errors } = await post(platform, user, { body: { query: query(['one', 'two', 'three']), variables } });
  expect(errors[0].extensions).toMatchObject({ limit_name: 'max_sub_requests', requested_value: 15 });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { git, initRepository } from '../support/git-history.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { makeHome, type Home } from './logged-in.js';
import type { Finished } from './plumbline.js';

let platform: TestPlatform;
let owner: TestUser;
let home: Home;
let environment: Record<string, string>;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' } });
  home = makeHome();
});
beforeEach(async () => {
  owner = await platform.signUp();
  const { token } = await createServiceToken(platform, owner, ['records:write']);
  environment = { PLUMBLINE_SERVER: platform.url, PLUMBLINE_TOKEN: token };
});
afterAll(async () => {
  await home.remove();
  await platform.stop();
});

const push = (args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  home.run(['push', ...args], input, { ...environment, ...more });

const deployments = (): Promise<readonly object[]> => platform.database.sql`
  select d.deployment_id, d.status, d.environment, d.started_at, d.finished_at, d.commit_hash, d.committed_at, r.url
  from deployments d join repos r on r.id = d.repo_id where d.org_id = ${owner.orgId} order by d.deployment_id`;

test('A deployment of a clone has its remote, without a token, and its commit', async () => {
  const clone = join(home.folder, 'clone');
  initRepository(clone);
  await writeFile(join(clone, 'file'), 'text');
  git(clone, 'add', '.');
  git(clone, 'commit', '--quiet', '--message', 'One', '--date', '2026-03-01T10:00:00Z');
  git(clone, 'remote', 'add', 'origin', 'https://ci:s3cret@github.com/acme/shop.git');
  const done = await push(['deployment', '--id', '7', '--environment', 'production', '--wait'], '', {
    GIT_DIR: join(clone, '.git'),
  });
  expect(done).toMatchObject({ exitCode: 0, stdout: '1 record pushed and stored\n', stderr: '' });
  const [hash, time] = git(clone, 'log', '-1', '--format=%H %ct').trim().split(' ');
  expect(await deployments()).toEqual([
    {
      deployment_id: 'push:7',
      status: 'success',
      environment: 'production',
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      commit_hash: hash,
      committed_at: new Date(Number(time) * 1000),
      url: 'https://github.com/acme/shop',
    },
  ]);
});

test('A deployment is pushed when it begins, and again when it has ended', async () => {
  const one = ['deployment', '--id', '8', '--repository', 'https://github.com/acme/web', '--wait'];
  const began = ['--started-at', '2026-03-02T10:00:00+01:00'];
  expect(await push([...one, ...began, '--status', 'in_progress'])).toMatchObject({ exitCode: 0 });
  expect(await deployments()).toMatchObject([{ status: 'in_progress', finished_at: null, commit_hash: null }]);
  expect(await push([...one, ...began, '--finished-at', '2026-03-02T09:30:00Z'])).toMatchObject({ exitCode: 0 });
  expect(await deployments()).toMatchObject([
    {
      status: 'success',
      started_at: new Date('2026-03-02T09:00:00Z'),
      finished_at: new Date('2026-03-02T09:30:00Z'),
    },
  ]);
});

test('A file is pushed in requests of at most 1,000 records, also from standard input', async () => {
  const build = {
    repository: 'https://github.com/acme/web',
    status: 'success',
    started_at: '2026-03-02T09:00:00.000Z',
  };
  const builds = Array.from({ length: 2001 }, (_, index) => ({ ...build, id: String(index) }));
  expect(await push(['records', '-', '--wait'], JSON.stringify({ builds }))).toMatchObject({
    exitCode: 0,
    stdout: '2001 records pushed and stored\n',
  });
  const [row] = await platform.database.sql<{ count: number }[]>`
    select count(*)::int as count from ci_pipeline_runs where org_id = ${owner.orgId}`;
  expect(row).toEqual({ count: 2001 });
});

test('A file of large records is pushed in requests that the server takes', async () => {
  const labels = Array.from({ length: 50 }, (_, index) => String(index).padEnd(200, 'x'));
  const incidents = Array.from({ length: 500 }, (_, index) => ({
    ...{ repository: 'https://github.com/acme/web', id: String(index), title: 'Down', labels },
    started_at: '2026-03-02T09:00:00.000Z',
  }));
  expect(await push(['records', '-'], JSON.stringify({ incidents }))).toMatchObject({
    ...{ exitCode: 0, stdout: '500 records pushed\n', stderr: '' },
  });
});

test('What is wrong is said, with the exit code of the usage or of a refusal', async () => {
  const repository = ['--repository', 'https://github.com/acme/web'];
  for (const [args, message] of [
    [['deployment', ...repository], "required option '--id <id>'"],
    [['deployment', '--id', '1', ...repository, '--status', 'done'], '--status must be one of success, failure'],
    [['deployment', '--id', '1', ...repository, '--finished-at', 'noon'], '--finished-at must be a time'],
    [['deployment', '--id', '1'], '--repository is required'],
    [['records', join(home.folder, 'none.json')], '<file> cannot be read'],
    [['records', '-'], '<file> is not JSON'],
  ] as const) {
    const refused = await push(args, '', { GIT_DIR: join(home.folder, 'none') });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  const notLists = await push(['records', '-'], '{"builds": 1}');
  expect([notLists.exitCode, notLists.stderr]).toEqual([2, expect.stringContaining('must be an object with lists')]);
  const refused = await push(['records', '-'], '{"builds": [{}], "tests": []}');
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('/body/builds/0/repository')]);
  const nobody = await push(['records', '-'], '{"builds": [{}]}', { PLUMBLINE_TOKEN: '' });
  expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('set PLUMBLINE_TOKEN')]);
  expect(await deployments()).toEqual([]);
}, 60_000);

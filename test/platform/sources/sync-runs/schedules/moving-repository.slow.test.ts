import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { executeHere } from '../../../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../../../src/sync/clock.js';
import { systemRandom } from '../../../../../src/sync/random.js';
import { createMovableClock } from '../../../../support/clock.js';
import { git, initRepository } from '../../../../support/git-history.js';
import { signUpWithOrganizationId } from '../../../../support/organization-id.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../../support/postgres.js';
import { eventually } from '../jobs/queue.js';
import { noFilters } from '../../../figures/views/definition.js';

const organization = randomUUID();
const clock = createMovableClock();
let root: string;
let database: TestDatabase;
let servers: TestPlatform[];
let owner: TestUser;

/** Syncs in this process, as of the time of the servers. */
const execute: StartExecution = (job, report) =>
  executeHere(job, report, {
    ...systemClock,
    ...systemRandom,
    now: () => clock.now().getTime(),
    environment: process.env,
  });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plumbline-moving-'));
  initRepository(join(root, 'api'));
  database = await createTestDatabase();
  const environment = { SYNC_JOBS: '1', SYNC_LOCAL_ROOT: root, SYNC_LOCAL_ORGANIZATIONS: organization };
  const options = { databaseUri: database.uri, clock, environment, executeSync: execute };
  servers = [await startTestPlatform(options), await startTestPlatform(options)];
});

afterAll(async () => {
  for (const each of servers) await each.stop();
  await database.drop();
  await rm(root, { recursive: true, force: true });
});

async function commit(number: number): Promise<void> {
  const directory = join(root, 'api');
  const file = join(directory, `part-${number}.ts`);
  await writeFile(file, `export const part = ${number};\n`);
  git(directory, 'add', '.');
  git(directory, 'commit', '--quiet', `--date=${clock.now().toISOString()}`, '-m', `feat: add part ${number}`);
}

it('the figures follow a repository that gets commits, without anybody who starts a run', async () => {
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  owner = await signUpWithOrganizationId(first, organization);
  const credentials = { email: owner.email, password: owner.password };
  const login = async (): Promise<string> =>
    String((await first.json('POST', '/api/v1/auth/login', { body: credentials })).body.access_token);
  const body = {
    ...{ name: 'Server', provider: 'local', targets: ['git', 'prs', 'blame'], repositories: ['api'] },
    schedule: '*/15 * * * *',
  };
  await commit(0);
  const token = await login();
  const config = await first.json('POST', '/api/v1/admin/sync-configs', { token, body });
  expect(config.status).toBe(201);
  const thresholds = `/api/v1/organizations/${organization}/thresholds`;
  const definition = { measure: 'count', direction: 'above', value: 3, window_days: 7, filters: noFilters };
  expect((await first.json('POST', thresholds, { token, body: { name: 'Watched', definition } })).status).toBe(201);

  for (let number = 1; number <= 8; number += 1) {
    await commit(number);
    clock.advance(15 * 60);
    await Promise.all(servers.map((each) => each.running.syncSchedules.drain()));
    const later = await login();
    const state = async (): Promise<unknown> => {
      const { body: runs } = await first.json('GET', `/api/v1/admin/sync-configs/${config.body.id}/runs`, {
        token: later,
      });
      return runs.items.map(({ status }: { status: string }) => status);
    };
    await eventually(state).toEqual(Array.from({ length: number }, () => 'complete'));
    const [units] = await first.database.sql`
      select count(*)::int as count from work_units where org_id = ${organization}`;
    expect(units?.['count']).toBe(number + 1);
    const figures = await first.json('GET', `/api/v1/organizations/${organization}/freshness`, { token: later });
    expect(clock.now().getTime() - Date.parse(figures.body.current_at)).toBeLessThan(15 * 60_000);
    await eventually(async () => (await first.json('GET', thresholds, { token: later })).body.items[0].last_value).toBe(
      number + 1,
    );
  }
});

import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgetPerson } from '../../../../src/sync/forget-person.js';
import { systemClock } from '../../../../src/sync/clock.js';
import { systemRandom } from '../../../../src/sync/random.js';
import { withStoredRecords } from '../../../../src/platform/sources/records/stored-records.js';
import { importConnector } from '../../../support/chdb.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { describeOnEachEngine } from '../../../analytics/engines.js';
import { ask } from '../../../analytics/graphql/served.js';
import { mark } from '../../tenancy/deletion/requests.js';
import { eventually } from '../sync-runs/jobs/queue.js';

const repository = 'https://github.com/acme/shop';
const commit = { hash: '5a8c0f2b1d9e4c7a6b3f8d2e1c0b9a8f7e6d5c4b', committed_at: '2026-03-02T08:41:00.000Z' };

const deployment = {
  repository,
  id: 'release-1',
  environment: 'production',
  status: 'success',
  started_at: '2026-03-02T09:00:00.000Z',
  finished_at: '2026-03-02T09:04:10.000Z',
  commit,
  ref: 'v2.31.0',
  author: 'ada',
};
const incident = {
  repository,
  id: 'PD-7731',
  title: 'Checkout answers with 500',
  severity: 'high',
  labels: ['checkout'],
  started_at: '2026-03-02T09:12:00.000Z',
  resolved_at: '2026-03-02T11:12:00.000Z',
};
const build = {
  repository,
  id: '90125',
  status: 'failure',
  queued_at: '2026-03-02T09:29:00.000Z',
  started_at: '2026-03-02T09:30:00.000Z',
  finished_at: '2026-03-02T09:36:00.000Z',
};
const issue = {
  repository,
  number: 12,
  title: 'Fix the crash at checkout',
  body: 'It crashes.',
  labels: ['bug'],
  created_at: '2026-03-01T10:00:00.000Z',
  closed_at: '2026-03-02T10:00:00.000Z',
  close_reason: 'completed',
  author: 'grace',
};

const pathOf = (orgId: string): string => `/api/v1/organizations/${orgId}/records`;

/** Pushes with a service token that may do nothing else. */
async function pusher(platform: TestPlatform, owner: TestUser): Promise<(body: unknown) => Promise<JsonReply>> {
  const { token } = await createServiceToken(platform, owner, ['records:write']);
  return (body) => platform.json('POST', pathOf(owner.orgId), { token, body });
}

function progress(platform: TestPlatform, owner: TestUser): Promise<JsonReply> {
  return platform.json('GET', pathOf(owner.orgId), { token: owner.accessToken });
}

const KEYS = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  analytics(orgId: $orgId, batch: $batch) {
    dora { total {
      deploymentFrequency { deployments } changeFailureRate { failed } timeToRestore { statistics { median } }
    } }
    breakdowns { items { key value } }
  }
}`;

describeOnEachEngine('Pushed records', (engine) => {
  let platform: TestPlatform;
  let owner: TestUser;
  let push: (body: unknown) => Promise<JsonReply>;
  beforeAll(async () => {
    platform = await startTestPlatform({
      environment: { SYNC_JOBS: '1', ANALYTICS_URI: await engine.newUri() },
      importConnector,
    });
    owner = await platform.signUp();
    push = await pusher(platform, owner);
  });
  afterAll(() => platform.stop());

  const stored = async (body: unknown): Promise<void> => {
    expect(await push(body)).toMatchObject({ status: 202, body: { state: 'storing', error: null } });
    await eventually(async () => (await progress(platform, owner)).body).toEqual({
      state: 'done',
      waiting_records: 0,
      refused_records: 0,
      error: null,
    });
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a reply that the contract has checked
  const figures = async (): Promise<any> => {
    const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
    const batch = {
      dora: { dimension: 'REPO', dateRange },
      breakdowns: [{ dimension: 'WORK_TYPE', measure: 'COUNT', dateRange }],
    };
    return (await ask(platform, owner, KEYS, { batch })).analytics;
  };

  it('become deployments, failures and times to restore, and are replaced under their ids', async () => {
    await stored({ deployments: [deployment], incidents: [incident], builds: [build], issues: [issue] });
    const before = await figures();
    expect(before.dora.total).toEqual({
      deploymentFrequency: { deployments: 1 },
      changeFailureRate: { failed: 1 },
      timeToRestore: { statistics: { median: 2 } },
    });
    expect(new Map(before.breakdowns[0].items.map((item: { key: string; value: number }) => [item.key, item.value])))
      .toEqual(new Map([['deployment', 1], ['incident', 1], ['issue', 1]])); // prettier-ignore

    // The same push again changes nothing; another address of the repository is the same repository.
    await stored({ deployments: [{ ...deployment, repository: 'git@github.com:Acme/shop.git' }] });
    expect(await figures()).toEqual(before);

    await stored({
      deployments: [
        {
          ...deployment,
          id: 'release-2',
          started_at: '2026-03-03T09:00:00.000Z',
          finished_at: '2026-03-03T09:05:00.000Z',
        },
      ],
      incidents: [{ ...incident, resolved_at: '2026-03-02T10:12:00.000Z' }],
    });
    expect((await figures()).dora.total).toEqual({
      deploymentFrequency: { deployments: 2 },
      changeFailureRate: { failed: 1 },
      timeToRestore: { statistics: { median: 1 } },
    });
  }, 100_000);

  it('have epics and initiatives, which stay until a push says otherwise', async () => {
    const planned = { ...issue, repository: 'https://github.com/acme/planned' };
    const plans = async (): Promise<unknown> => {
      const query = `query ($orgId: String!, $input: WorkUnitsInput!) {
        workUnits(orgId: $orgId, input: $input) { items { epic initiative } } }`;
      const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
      const input = { dateRange, filters: { repos: ['acme/planned'] } };
      const { workUnits } = await ask(platform, owner, query, { input });
      return workUnits.items.map(({ epic, initiative }: Record<string, string>) => [epic, initiative]).sort();
    };
    await stored({ issues: [planned, { ...planned, number: 13, epic: null }] });
    expect(await plans()).toEqual([['', ''], ['', '']]); // prettier-ignore
    await stored({ issues: [{ ...planned, epic: 'Checkout', initiative: 'Growth' }] });
    expect(await plans()).toEqual([['Checkout', 'Growth'], ['unplanned', 'unplanned']]); // prettier-ignore
    await stored({ issues: [{ ...planned, title: 'Mend the checkout' }] });
    expect(await plans()).toEqual([['Checkout', 'Growth'], ['unplanned', 'unplanned']]); // prettier-ignore
    await stored({
      issues: [
        { ...planned, epic: 'Search' },
        { ...planned, number: 14 },
      ],
    });
    expect(await plans()).toEqual([['', ''], ['Search', ''], ['unplanned', 'unplanned']]); // prettier-ignore
    expect(await push({ issues: [{ ...planned, epic: 'x'.repeat(301) }] })).toMatchObject({ status: 422 });
    expect(await push({ issues: [{ ...planned, initiative: '' }] })).toMatchObject({ status: 422 });
  }, 100_000);
});

describe('A push', () => {
  let platform: TestPlatform;
  let owner: TestUser;
  let push: (body: unknown) => Promise<JsonReply>;
  beforeAll(async () => {
    platform = await startTestPlatform(); // without a worker
  });
  beforeEach(async () => {
    owner = await platform.signUp();
    push = await pusher(platform, owner);
  });
  afterAll(() => platform.stop());

  const waiting = async (): Promise<number> => (await progress(platform, owner)).body.waiting_records;
  const refusal = async (body: unknown): Promise<unknown> => {
    const reply = await push(body);
    expect(reply).toMatchObject({ status: 422, body: { type: '/problems/validation-failed' } });
    return reply.body.violations.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`);
  };

  it('is done before the first one, and waits until a worker stores it', async () => {
    expect((await progress(platform, owner)).body).toEqual({
      state: 'done',
      waiting_records: 0,
      refused_records: 0,
      error: null,
    });
    expect((await push({ deployments: [deployment], builds: [build, { ...build, id: '2' }] })).body).toEqual({
      state: 'storing',
      waiting_records: 3,
      refused_records: 0,
      error: null,
    });
    expect(await waiting()).toBe(3);
  });

  it('is refused as a whole, with all that is wrong in it', async () => {
    expect(
      await refusal({
        deployments: [
          { ...deployment, repository: '/srv/shop', finished_at: null },
          { ...deployment, status: 'in_progress' },
          {
            ...deployment,
            finished_at: '2026-03-02T08:59:59.000Z',
            commit: { ...commit, committed_at: '1969-12-31T23:59:59.000Z' },
          },
        ],
        incidents: [{ ...incident, started_at: '2999-01-01T00:00:00.000Z' }],
        builds: [
          { ...build, queued_at: '2026-03-02T09:31:00.000Z' },
          { ...build, status: 'in_progress' },
        ],
        issues: [{ ...issue, closed_at: null }],
      }),
    ).toEqual([
      '/body/deployments/0/repository must be the address of a repository at a host, such as https://github.com/acme/shop',
      '/body/deployments/0/finished_at is required for a success',
      '/body/deployments/1/finished_at must be absent while it is in progress',
      '/body/deployments/2/finished_at must not be before started_at',
      '/body/deployments/2/commit/committed_at must be after 1970 began',
      '/body/incidents/0/started_at must not be in the future',
      '/body/incidents/0/resolved_at must not be before started_at',
      '/body/builds/0/started_at must not be before queued_at',
      '/body/builds/1/finished_at must be absent while it is in progress',
      '/body/issues/0/close_reason must be absent while the issue is open',
    ]);
    for (const body of [{}, { deployments: [] }, { deployments: [{ ...deployment, id: '' }] }, { tests: [] }])
      expect(await push(body)).toMatchObject({ status: 422 });
    for (const address of ['https://github.com/acme/%00', 'https://github.com/'])
      expect(await push({ builds: [{ ...build, repository: address }] })).toMatchObject({ status: 422 });
    for (const title of ['a\u0000b', 'lone \ud800'])
      expect(await push({ incidents: [{ ...incident, title }] })).toMatchObject({ status: 422 });
    expect(await waiting()).toBe(0);
  });

  it('is kept without the credentials and the parameters of an address', async () => {
    const addresses = [
      ' https://user:s3cret@github.com/Acme/shop',
      'https://github.com/Acme/shop?access_token=s3cret',
      'u:s3cret@github.com:Acme/shop.git',
      'https://x-access-token:s3cret@github.com/Acme/shop.git/',
    ];
    expect(
      (await push({ builds: addresses.map((address, id) => ({ ...build, repository: address, id: String(id) })) }))
        .status,
    ).toBe(202);
    const [row] = await platform.database.sql`select content from pushed_records where org_id = ${owner.orgId}`;
    expect(JSON.stringify(row?.['content'])).not.toContain('s3cret');
    expect(row?.['content'].builds.map((each: { repository: string }) => each.repository)).toEqual(
      addresses.map(() => 'https://github.com/Acme/shop'),
    );
  });

  it('is refused while too much waits', async () => {
    const { sql } = platform.database;
    await push({ builds: [build] });
    await sql`update pushed_records set records = 99999 where org_id = ${owner.orgId}`;
    expect((await push({ builds: [build] })).status).toBe(202);
    const refused = { status: 409, body: { type: '/problems/too-many-pushes' } };
    expect(await push({ builds: [build] })).toMatchObject(refused);
    await sql`update pushed_records set records = 1, bytes = 32 * 1024 * 1024 where org_id = ${owner.orgId}`;
    expect(await push({ builds: [build] })).toMatchObject(refused);
    const other = await platform.signUp();
    expect(await (await pusher(platform, other))({ builds: [build] })).toMatchObject({ status: 202 });
  });

  it('is refused for an organization that is marked for deletion', async () => {
    await mark(platform, owner);
    expect(
      await platform.json('POST', pathOf(owner.orgId), { token: owner.accessToken, body: { builds: [build] } }),
    ).toMatchObject({ status: 409, body: { type: '/problems/deletion-pending' } });
  });

  it('needs an admin, or a token with the scope', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    const options = { token: member.accessToken, body: { builds: [build] } };
    expect(await platform.json('POST', pathOf(owner.orgId), options)).toMatchObject({ status: 403 });
    const { token } = await createServiceToken(platform, owner, ['sync:write']);
    expect(await platform.json('POST', pathOf(owner.orgId), { ...options, token })).toMatchObject({ status: 403 });
    expect(await waiting()).toBe(0);
  });
});

describe('Pushes that meet others', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' } });
  });
  afterAll(() => platform.stop());

  it('are stored although one cannot be stored, which is set aside', async () => {
    const owner = await platform.signUp();
    const push = await pusher(platform, owner);
    const { sql } = platform.database;
    await sql`
      create or replace function refuse() returns trigger language plpgsql as $$
      begin if new.title = 'poison' then raise exception 'refused by a rule'; end if; return new; end $$`;
    await push({ issues: [issue] });
    await eventually(async () => (await progress(platform, owner)).body.state).toBe('done');
    await sql`create trigger refuse before insert or update on issues for each row execute function refuse()`;
    const holder = postgres(platform.databaseUri, { max: 1 });
    await holder`begin`;
    await holder`lock table issues`;
    for (const [number, title] of [
      [1, 'one'],
      [2, 'poison'],
      [3, 'three'],
    ] as const)
      await push({ issues: [{ ...issue, number, title }] });
    await holder`commit`;
    await holder.end();
    await eventually(async () => (await progress(platform, owner)).body).toEqual({
      state: 'done',
      waiting_records: 0,
      refused_records: 1,
      error: expect.stringContaining('refused by a rule'),
    });
    const rows = await sql`select title from issues where org_id = ${owner.orgId} and number <= 3 order by number`;
    expect(rows.map(({ title }) => String(title))).toEqual(['one', 'three']);
    await sql`drop trigger refuse on issues`;
  }, 60_000);

  it('move what an incident or a deployment counts against', async () => {
    const owner = await platform.signUp();
    const push = await pusher(platform, owner);
    const done = async (body: unknown): Promise<Readonly<Record<string, boolean>>> => {
      expect((await push(body)).status).toBe(202);
      await eventually(async () => (await progress(platform, owner)).body.state).toBe('done');
      const rows = await platform.database.sql`
        select split_part(id, 'push:', 2) as id, change_failed from work_units
        where org_id = ${owner.orgId} and work_type = 'deployment' order by 1`;
      return Object.fromEntries(rows.map((row) => [String(row['id']), row['change_failed'] === 1]));
    };
    const deployed = (id: string, day: string): object => ({
      ...{ repository, id, environment: 'production', status: 'success' },
      ...{ started_at: `2026-03-${day}T09:00:00.000Z`, finished_at: `2026-03-${day}T09:05:00.000Z` },
    });
    const began = (day: string): object => ({
      repository,
      id: 'one',
      title: 'Down',
      started_at: `2026-03-${day}T12:00:00.000Z`,
    });
    const deployments = [deployed('a', '01'), deployed('b', '05')];
    expect(await done({ deployments, incidents: [began('06')] })).toEqual({ a: false, b: true });
    expect(await done({ incidents: [began('02')] })).toEqual({ a: true, b: false });
    expect(await done({ deployments: [deployed('c', '03')], incidents: [began('04')] })).toEqual({
      a: false,
      b: false,
      c: true,
    });
    expect(await done({ deployments: [deployed('c', '20')] })).toEqual({ a: true, b: false, c: false });
    // A leap second is a time of the contract.
    expect(await done({ incidents: [{ ...began('02'), id: 'two', started_at: '2016-12-31T23:59:60Z' }] })).toEqual({
      a: true,
      b: false,
      c: false,
    });
  }, 60_000);
});

describe('Pushes of a server that is stopped', () => {
  it('are stored by the next one, also after the database of the records has failed', async () => {
    const stopped = await startTestPlatform();
    const owner = await stopped.signUp();
    const push = await pusher(stopped, owner);
    for (let number = 1; number <= 3; number += 1) await push({ issues: [{ ...issue, number }] });
    const { databaseUri, database } = stopped;
    const { sql } = database;
    // The records are in the same database. Nothing can be inserted into a view like this one.
    await sql`create view issues as select 1 as wrong`;
    const platform = await startTestPlatform({
      databaseUri,
      mailbox: stopped.mailbox,
      environment: { SYNC_JOBS: '1' },
    });
    const read = (): Promise<JsonReply> => platform.json('GET', pathOf(owner.orgId), { token: owner.accessToken });
    await eventually(async () => (await read()).body.state).toBe('failing');
    expect((await read()).body).toMatchObject({ waiting_records: 3, error: expect.stringMatching(/issues/) });
    await sql`drop view issues`;
    await sql`update store_tasks set available_at = now() - interval '1 day'`;
    await eventually(async () => (await read()).body).toEqual({
      state: 'done',
      waiting_records: 0,
      refused_records: 0,
      error: null,
    });
    expect(await sql`select number, source from issues order by number`).toMatchObject([
      { number: 1, source: 'push' },
      { number: 2, source: 'push' },
      { number: 3, source: 'push' },
    ]);

    // A person who has been erased does not come back by a push.
    await withStoredRecords(
      { store: databaseUri, rulesFile: null },
      { orgId: owner.orgId, signal: new AbortController().signal },
      async (resources) => {
        const dependencies = { ...resources.dependencies, ...systemClock, ...systemRandom };
        await forgetPerson({ orgId: owner.orgId, sink: resources.sink, resources, dependencies }, ['grace']);
      },
    );
    await push({ issues: [{ ...issue, number: 4, body: 'Ask @grace.' }] });
    await eventually(async () => (await read()).body.state).toBe('done');
    const names = await sql`select distinct author_name from issues`;
    expect(names).toHaveLength(1);
    expect(names[0]?.['author_name']).toMatch(/^erased-/);
    expect(await sql`select body from issues where number = 4`).toMatchObject([
      { body: expect.stringMatching(/^Ask @erased-\w+\.$/) },
    ]);
    await platform.stop();
    await stopped.stop();
  }, 60_000);
});

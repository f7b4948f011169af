import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { executeHere } from '../../../../src/platform/sources/sync-runs/jobs/execute-here.js';
import type { StartExecution } from '../../../../src/platform/sources/sync-runs/jobs/sync-job.js';
import { systemClock } from '../../../../src/sync/clock.js';
import { systemRandom } from '../../../../src/sync/random.js';
import { ask } from '../../../analytics/graphql/served.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { queueOf } from '../../sources/sync-runs/jobs/queue.js';

const executeNow: StartExecution = (job, report) =>
  executeHere(job, report, { ...systemClock, ...systemRandom, environment: process.env });

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

const LIST = `query ($orgId: String!, $input: WorkUnitsInput!) {
  workUnits(orgId: $orgId, input: $input) { items { id theme subcategory shares { subcategory share } } }
}`;
const EXPLAIN = `query ($orgId: String!, $id: String!) {
  workUnit(orgId: $orgId, id: $id) {
    shares { subcategory share } contributions { rule }
    correction { subcategory insteadOf note correctedAt correctedBy }
  }
}`;

let platform: TestPlatform;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: executeNow });
  owner = await platform.signUp();
  stranger = await platform.signUp();
  const queue = queueOf(platform, owner);
  const config = await queue.configure({ targets: ['git'], repositories: ['a/b'] });
  const run = await queue.start(config);
  await vi.waitFor(async () => {
    expect((await queue.read(config, run)).status).toBe('complete');
  }, 100_000);
});
afterAll(() => platform.stop());

interface ListedUnit {
  readonly id: string;
  readonly subcategory: string;
}

async function units(): Promise<readonly ListedUnit[]> {
  const dateRange = { startDate: day(300), endDate: day(0) };
  return (await ask(platform, owner, LIST, { input: { dateRange, first: 100 } })).workUnits.items;
}

let first: ListedUnit;
let second: ListedUnit;
beforeEach(async () => {
  await platform.database.sql`delete from work_unit_corrections`;
  const [one, two] = await units();
  if (one === undefined || two === undefined) throw new Error('There are no units');
  [first, second] = [one, two];
});

function send(method: string, unitId = '', body?: unknown, token = owner.accessToken): Promise<JsonReply> {
  const path = unitId === '' ? '' : `/${encodeURIComponent(unitId)}`;
  const url = `/api/v1/organizations/${owner.orgId}/corrections`;
  const [name, query] = method.split('?');
  const target = `${url}${path}${query === undefined ? '' : `?${query}`}`;
  return platform.json(name ?? '', target, { token, ...(body === undefined ? {} : { body }) });
}

const compliance = { subcategory: 'risk.compliance', note: 'Asked for by an auditor.' };

describe('a correction', () => {
  it('shows in the next query, with its explanation, until it is withdrawn', async () => {
    const set = await send('PUT', first.id, compliance);
    expect(set).toMatchObject({
      ...{ status: 200, body: { unit_id: first.id, ...compliance, corrected_by: owner.email } },
    });
    const listed = (await units()).find(({ id }) => id === first.id);
    expect(listed).toMatchObject({
      ...{ theme: 'risk', subcategory: 'risk.compliance', shares: [{ subcategory: 'risk.compliance', share: 1 }] },
    });
    const { workUnit } = await ask(platform, owner, EXPLAIN, { id: first.id });
    expect(workUnit.shares).toEqual([{ subcategory: 'risk.compliance', share: 1 }]);
    expect(workUnit.contributions.length).toBeGreaterThan(0);
    expect(workUnit.correction).toEqual({
      ...{ subcategory: 'risk.compliance', insteadOf: first.subcategory, note: compliance.note },
      ...{ correctedAt: set.body.corrected_at, correctedBy: owner.email },
    });
    expect((await send('GET')).body).toEqual({ items: [set.body], next_cursor: null });

    expect((await send('DELETE', first.id)).status).toBe(204);
    expect(await units()).toContainEqual(first);
    expect((await ask(platform, owner, EXPLAIN, { id: first.id })).workUnit.correction).toBeNull();
    const records = await platform.database.sql`
      select action, resource_id, note from audit_log
      where org_id = ${owner.orgId} and resource_kind = 'CORRECTION' order by at, id`;
    expect(records).toEqual([
      { action: 'UPDATE', resource_id: first.id, note: 'risk.compliance' },
      { action: 'DELETE', resource_id: first.id, note: null },
    ]);
  });

  it('replaces the one before, and needs no note', async () => {
    await send('PUT', first.id, compliance);
    const again = await send('PUT', first.id, { subcategory: 'maintenance.debt' });
    expect(again.body).toMatchObject({ subcategory: 'maintenance.debt', note: null });
    expect((await send('GET')).body.items).toEqual([again.body]);
  });

  it('is one of those that were sent at once', async () => {
    const wanted = ['risk.compliance', 'maintenance.debt', 'quality.bugfix', 'operational.support'];
    const replies = await Promise.all(wanted.map((subcategory) => send('PUT', first.id, { subcategory })));
    expect(replies.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    const [kept] = (await send('GET')).body.items;
    expect(wanted).toContain(kept.subcategory);
    expect((await units()).find(({ id }) => id === first.id)?.subcategory).toBe(kept.subcategory);
  });

  it('of an unknown unit, or one of another organization, is refused and leaves no record', async () => {
    const audited = async (): Promise<number> =>
      (await platform.database.sql`select from audit_log where resource_kind = 'CORRECTION'`).length;
    const before = await audited();
    const theirs = `/api/v1/organizations/${stranger.orgId}/corrections/${encodeURIComponent(first.id)}`;
    const replies = [
      await send('PUT', first.id.replace(/.$/, 'x'), compliance),
      await platform.json('PUT', theirs, { token: stranger.accessToken, body: compliance }),
    ];
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 404, body: { type: '/problems/work-unit-not-found' } });
    await send('PUT', first.id, compliance);
    const withdrawals = [
      await send('DELETE', second.id),
      await platform.json('DELETE', theirs, { token: stranger.accessToken }),
    ];
    for (const reply of withdrawals)
      expect(reply).toMatchObject({ status: 404, body: { type: '/problems/correction-not-found' } });
    expect((await send('GET')).body.items).toHaveLength(1);
    expect(await audited()).toBe(before + 1);
  });

  it('can be withdrawn when its unit has disappeared, and is not found for it before', async () => {
    await send('PUT', first.id, compliance);
    await platform.database.sql`delete from work_units where id in ${platform.database.sql([first.id, second.id])}`;
    expect((await send('PUT', second.id, compliance)).status).toBe(404);
    expect((await send('DELETE', first.id)).status).toBe(204);
    expect((await send('GET')).body.items).toEqual([]);
  });

  it('has a known subcategory and a short note', async () => {
    for (const body of [{ subcategory: 'risk.danger' }, { ...compliance, note: 'x'.repeat(501) }, {}])
      expect((await send('PUT', first.id, body)).status).toBe(422);
  });

  it('is set by admins and by service tokens that may, and read by every member', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    for (const reply of [
      await send('PUT', first.id, compliance, member.accessToken),
      await send('DELETE', first.id, undefined, member.accessToken),
    ])
      expect(reply).toMatchObject({ status: 403, body: { required_role: 'admin' } });
    const reader = await createServiceToken(platform, owner, ['classification:read']);
    expect(await send('PUT', first.id, compliance, reader.token)).toMatchObject({
      ...{ status: 403, body: { required_scope: 'classification:write' } },
    });
    const writer = await createServiceToken(platform, owner, ['classification:write'], { name: 'classifier' });
    expect((await send('PUT', first.id, compliance, writer.token)).body.corrected_by).toBe('classifier');
    for (const token of [member.accessToken, reader.token])
      expect((await send('GET', '', undefined, token)).body.items).toHaveLength(1);
  });

  it('is one of at most 10,000', async () => {
    await send('PUT', first.id, compliance);
    await platform.database.sql`
      insert into work_unit_corrections (org_id, id, repo_id, subcategory, corrected_ms, corrected_by)
      select ${owner.orgId}, 'unit ' || number, 'repo', 'risk.compliance', 0, 'Ada' from generate_series(1, 9999) as number`;
    const reply = await send('PUT', second.id, compliance);
    expect(reply).toMatchObject({ status: 409, body: { type: '/problems/correction-limit-reached' } });
    expect((await send('PUT', first.id, { subcategory: 'maintenance.debt' })).status).toBe(200);
  });
});

describe('the list of corrections', () => {
  it('has pages in the order of the units, and refuses other cursors', async () => {
    for (const { id } of [first, second]) await send('PUT', id, compliance);
    const page = await send('GET?limit=1');
    const next = await send(`GET?limit=1&cursor=${page.body.next_cursor}`);
    const found = [...page.body.items, ...next.body.items].map(({ unit_id }: { unit_id: string }) => unit_id);
    expect(found).toEqual([first.id, second.id].sort());
    expect(next.body.next_cursor).toBeNull();
    expect((await send('GET?cursor=non!sense')).body.violations).toMatchObject([{ path: '/query/cursor' }]);
  });
});

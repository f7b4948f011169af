import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { ask, fill, smallOrganization } from '../../../analytics/graphql/served.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(async () => {
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

function send(method: string, body?: unknown, user = owner): Promise<JsonReply> {
  const url = `/api/v1/organizations/${owner.orgId}/calendar`;
  return platform.json(method, url, { token: user.accessToken, ...(body === undefined ? {} : { body }) });
}

const batchQuery = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  catalog(orgId: $orgId) { calendar { weekStartsOn timeZone } }
  analytics(orgId: $orgId, batch: $batch) { timeseries { dimensionValue buckets { date value coverage } } }
}`;

describe('the calendar of an organization', () => {
  it('has weeks from Monday and days of UTC at first, and is changed by admins with an audit record', async () => {
    expect(await send('GET')).toMatchObject({
      status: 200,
      body: { week_starts_on: 'monday', time_zone: 'UTC' },
    });
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const calendar = { week_starts_on: 'saturday', time_zone: 'Pacific/Auckland' };
    expect((await send('PUT', calendar, admin)).body).toEqual(calendar);
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    expect((await send('GET', undefined, viewer)).body).toEqual(calendar);
    expect((await send('PUT', calendar, viewer)).status).toBe(403);
    expect(
      await platform.database.sql`
        select action, note, user_id from audit_log where org_id = ${owner.orgId} and resource_kind = 'CALENDAR'`,
    ).toEqual([{ action: 'UPDATE', note: 'weeks from saturday, days of Pacific/Auckland', user_id: admin.userId }]);
  });

  it.each([
    { week_starts_on: 'friday' },
    { week_starts_on: 'MONDAY' },
    { week_starts_on: undefined },
    { more: 1 },
    { time_zone: undefined },
    { time_zone: '' },
    { time_zone: '+02:00' },
    { time_zone: 'Europe/Berlin\n' },
    { time_zone: 'Europe/Nowhere' },
  ])('cannot be %j', async (changes) => {
    const calendar = { week_starts_on: 'monday', time_zone: 'UTC' };
    const refused = await send('PUT', { ...calendar, ...changes });
    expect(refused.status).toBe(422);
    expect((await send('GET')).body).toEqual(calendar);
  });

  it('names the field whose time zone does not exist', async () => {
    const { body } = await send('PUT', { week_starts_on: 'monday', time_zone: 'Europe/Nowhere' });
    expect(body.violations).toEqual([
      { path: '/body/time_zone', rule: 'time_zone', message: expect.stringContaining('Europe/Berlin') },
    ]);
  });

  it.each([
    ['monday', 'MONDAY', 1],
    ['sunday', 'SUNDAY', 0],
    ['saturday', 'SATURDAY', 6],
  ])('decides that weeks of figures begin on %s', async (week_starts_on, weekStartsOn, weekday) => {
    await fill(platform.databaseUri, owner.orgId, smallOrganization);
    await send('PUT', { week_starts_on, time_zone: 'UTC' });
    const dateRange = { startDate: '2026-03-01', endDate: '2026-03-31' };
    const timeseries = [{ dimension: 'REPO', measure: 'COUNT', interval: 'WEEK', dateRange }];
    const { catalog, analytics } = await ask(platform, owner, batchQuery, { batch: { timeseries } });
    expect(catalog.calendar).toEqual({ weekStartsOn, timeZone: 'UTC' });
    const buckets: readonly { date: string; value: number }[] = analytics.timeseries.flatMap(
      (series: { buckets: { date: string; value: number }[] }) => series.buckets,
    );
    expect(new Set(buckets.map(({ date }) => new Date(date).getUTCDay()))).toEqual(new Set([weekday]));
    const counted = smallOrganization.filter(({ day }) => day >= dateRange.startDate && day <= dateRange.endDate);
    expect(buckets.reduce((sum, { value }) => sum + value, 0)).toBe(counted.length);
    for (const { date, value } of buckets.filter((bucket) => bucket.value > 0)) {
      const end = new Date(Date.parse(date) + 6 * 86_400_000).toISOString().slice(0, 10);
      expect(counted.filter(({ day }) => day >= date && day <= end).length).toBeGreaterThanOrEqual(value);
    }
  });
});

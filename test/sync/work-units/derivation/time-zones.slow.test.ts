/** Two organizations with the same records: one counts the days of Auckland, the other those of Los Angeles. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createContext } from '../../../../src/analytics/graphql/context.js';
import { createDocuments } from '../../../../src/analytics/graphql/documents.js';
import { createExecutableSchema } from '../../../../src/analytics/graphql/executable-schema.js';
import { executeQuery } from '../../../../src/analytics/graphql/execute-query.js';
import { openAnalytics } from '../../../../src/analytics/open.js';
import { calendarAsText, type OrganizationCalendar } from '../../../../src/analytics/organization-calendar.js';
import { createUnitRecords } from '../../../../src/platform/figures/analytics-api/stored-unit-records.js';
import { withStoredRecords } from '../../../../src/platform/sources/records/stored-records.js';
import { refreshRepository } from '../../../../src/sync/work-units/derivation/derivation.js';
import type { OpenDerivationResources } from '../../../../src/sync/work-units/derivation/resources.js';
import { openOptions } from '../../../analytics/engines.js';
import { importConnector } from '../../../support/chdb.js';
import { describeOnEachDatabase } from '../../databases.js';
import { commitRow, DAY, HOUR, requestRow, syncAndDerive } from './deriving.js';

/** Clocks of both zones are moved in the first range. Both ends belong to a range. */
const SUMMER_TIME = { startDate: '2026-03-01', endDate: '2026-04-10' };
const NEW_YEAR = { startDate: '2027-12-20', endDate: '2028-01-12' };
const LEAP_DAY = { startDate: '2028-02-20', endDate: '2028-03-06' };
const LONG = { startDate: '2027-05-03', endDate: '2028-04-30' };
const PARTS = [
  ...(['DAY', 'WEEK', 'MONTH'] as const).map((interval) => ({ interval, dateRange: SUMMER_TIME })),
  ...(['DAY', 'WEEK', 'YEAR'] as const).map((interval) => ({ interval, dateRange: NEW_YEAR })),
  { interval: 'DAY', dateRange: LEAP_DAY },
  ...(['WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const).map((interval) => ({ interval, dateRange: LONG })),
] as const;

const CALENDARS: Readonly<Record<string, OrganizationCalendar>> = {
  auckland: { weekStartsOn: 'MONDAY', timeZone: 'Pacific/Auckland' },
  'los-angeles': { weekStartsOn: 'SUNDAY', timeZone: 'America/Los_Angeles' },
};

/** Often enough that each hour of a day occurs, and every quarter of an hour where clocks are moved. */
const MOMENTS: readonly number[] = [
  ...every(5.25 * HOUR, '2026-02-27', '2026-04-13'),
  ...every(HOUR / 4, '2026-03-08T06:00:00Z', '2026-03-09T10:00:00Z'),
  ...every(HOUR / 4, '2026-04-04T10:00:00Z', '2026-04-05T15:00:00Z'),
  ...every(3.5 * HOUR, '2027-12-19', '2028-01-14'),
  ...every(2.75 * HOUR, '2028-02-19', '2028-03-08'),
];
const REQUESTS = MOMENTS.filter((_moment, index) => index % 3 === 0).map((openedAt, index) => ({
  number: index + 1,
  openedAt,
  closedAt: index % 7 === 0 ? null : openedAt + (index % 11) * 9 * HOUR,
}));

function every(step: number, from: string, until: string): number[] {
  const count = Math.floor((Date.parse(until) - Date.parse(from)) / step);
  return Array.from({ length: count }, (_moment, index) => Date.parse(from) + index * step);
}

/** The day that a calendar on the wall shows. */
function shown(moment: number, { timeZone }: OrganizationCalendar): string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts }).format(moment);
}

/** The first day of the bucket of a day. */
function startOf(interval: string, day: string, { weekStartsOn }: OrganizationCalendar): string {
  const [year = '', month = ''] = day.split('-');
  if (interval === 'YEAR') return `${year}-01-01`;
  if (interval === 'QUARTER') return `${year}-${['01', '04', '07', '10'][Math.ceil(Number(month) / 3) - 1]}-01`;
  if (interval === 'MONTH') return `${year}-${month}-01`;
  const first = { MONDAY: 1, SUNDAY: 0, SATURDAY: 6 }[weekStartsOn];
  const date = new Date(day);
  while (interval === 'WEEK' && date.getUTCDay() !== first) date.setTime(date.getTime() - DAY);
  return date.toISOString().slice(0, 10);
}

function daysOf({ startDate, endDate }: typeof LONG): string[] {
  return every(DAY, startDate, new Date(Date.parse(endDate) + DAY).toISOString()).map((time) =>
    new Date(time).toISOString().slice(0, 10),
  );
}

/** Commits and open requests by bucket, counted day by day. */
function counted({ interval, dateRange }: (typeof PARTS)[number], calendar: OrganizationCalendar) {
  const commitDays = MOMENTS.map((moment) => shown(moment, calendar));
  const requestDays = REQUESTS.map(({ openedAt, closedAt }) => ({
    opened: shown(openedAt, calendar),
    closed: closedAt === null ? null : shown(closedAt, calendar),
  }));
  const buckets = new Map<string, { commits: number; open: number | null }>();
  for (const day of daysOf(dateRange)) {
    const date = startOf(interval, day, calendar);
    const before = buckets.get(date)?.commits ?? 0;
    const opened = requestDays.filter((request) => request.opened <= day);
    const open = opened.filter(({ closed }) => closed === null || closed > day).length;
    buckets.set(date, {
      commits: before + commitDays.filter((each) => each === day).length,
      open: opened.length === 0 ? null : open,
    });
  }
  return buckets;
}

const BATCH = `query ($orgId: String!, $batch: AnalyticsRequestInput!) {
  catalog(orgId: $orgId) { calendar { weekStartsOn timeZone } }
  analytics(orgId: $orgId, batch: $batch) {
    timeseries { dimensionValue buckets { date value } }
    workInProgress { total { count } buckets { date count } }
  }
}`;
const CODE_HEALTH = `query ($orgId: String!, $input: CodeHealthInput!) {
  codeHealth(orgId: $orgId, input: $input) { commits }
}`;

interface Reply {
  readonly catalog: { readonly calendar: OrganizationCalendar };
  readonly analytics: {
    readonly timeseries: readonly {
      readonly dimensionValue: string;
      readonly buckets: readonly { readonly date: string; readonly value: number }[];
    }[];
    readonly workInProgress: {
      readonly total: { readonly count: number | null };
      readonly buckets: readonly { readonly date: string; readonly count: number | null }[];
    };
  };
  readonly codeHealth: { readonly commits: number };
}

describeOnEachDatabase('organizations with different time zones', (engine) => {
  if (engine.kind === 'mongo') {
    it.skip('(skipped: no engine of the analytics reads MongoDB)');
    return;
  }

  it('count the days that clocks of each zone show in all figures', { timeout: 300_000 }, async () => {
    const db = await engine.newDatabase();
    const analytics = await openAnalytics(db, { ...openOptions, timeoutSeconds: 30 });
    onTestFinished(() => analytics.close());
    for (const [orgId, calendar] of Object.entries(CALENDARS)) {
      await withRecords(db, orgId, async (resources) => {
        await resources.records.writeFile('calendar', orgId, calendarAsText(calendar));
        await storeRecords(resources);
        for (const part of PARTS) {
          const batch = {
            timeseries: [{ ...part, dimension: 'WORK_TYPE', measure: 'COUNT' }],
            workInProgress: { ...part, dimension: 'REPO' },
          };
          const { catalog, analytics: answer } = await ask(analytics, resources, BATCH, { batch });
          expect(catalog.calendar).toEqual(calendar);
          const buckets = [...counted(part, calendar)];
          const what = `${orgId} ${part.interval} ${part.dateRange.startDate}`;
          const commits = answer.timeseries.find(({ dimensionValue }) => dimensionValue === 'commit');
          expect(commits?.buckets, what).toEqual(buckets.map(([date, { commits: value }]) => ({ date, value })));
          const open = buckets.map(([date, { open: count }]) => ({ date, count }));
          expect(answer.workInProgress.buckets, what).toEqual(open);
          expect(answer.workInProgress.total.count, what).toBe(open.at(-1)?.count);
        }
        for (const day of ['2026-03-08', '2026-04-05', '2028-02-29']) {
          const input = { repo: 'acme/shop', dateRange: { startDate: day, endDate: day } };
          const { codeHealth } = await ask(analytics, resources, CODE_HEALTH, { input });
          expect(codeHealth.commits).toBe(MOMENTS.filter((moment) => shown(moment, calendar) === day).length);
        }
      });
    }
  });

  it('are derived again when their time zone changes, and only then', { timeout: 60_000 }, async () => {
    const db = await engine.newDatabase();
    await withRecords(db, 'auckland', async (resources) => {
      const { records, orgId } = resources;
      const repoId = await storeRecords(resources);
      const all = MOMENTS.length + REQUESTS.length;
      for (const [timeZone, weekStartsOn, derived] of [
        ['UTC', 'SUNDAY', 0],
        ['Pacific/Auckland', 'SUNDAY', all],
        ['Pacific/Auckland', 'MONDAY', 0],
        ['UTC', 'MONDAY', all],
      ] as const) {
        const calendar = { timeZone, weekStartsOn };
        await records.writeFile('calendar', orgId, calendarAsText(calendar));
        expect(await refreshRepository(resources, repoId)).toBe(derived);
        const days = new Map<string, string>();
        for await (const units of resources.store.scan(orgId, repoId))
          for (const { id, day } of units) days.set(id, day);
        for (const [index, moment] of MOMENTS.entries())
          expect(days.get(`${repoId}:commit:${hashOf(index)}`)).toBe(shown(moment, calendar));
      }
    });
  });
});

function withRecords(
  store: string,
  orgId: string,
  work: (resources: OpenDerivationResources) => Promise<void>,
): Promise<void> {
  const options = { orgId, signal: new AbortController().signal, importConnector };
  return withStoredRecords({ store, rulesFile: null }, options, work);
}

function hashOf(index: number): string {
  return String(index).padStart(40, '0');
}

/** @returns the id of the repository */
async function storeRecords(resources: OpenDerivationResources): Promise<string> {
  const repository = { repoId: randomUUID(), orgId: resources.orgId };
  await resources.sink.ensureSchema();
  await syncAndDerive(resources, {
    ...repository,
    target: 'git',
    records: {
      git_commits: MOMENTS.map((when, index) =>
        commitRow(hashOf(index), { author_when: when - HOUR, committer_when: when }),
      ),
    },
  });
  await syncAndDerive(resources, {
    ...repository,
    target: 'prs',
    records: {
      git_pull_requests: REQUESTS.map(({ number, openedAt, closedAt }) =>
        requestRow(number, {
          state: closedAt === null ? 'open' : 'closed',
          created_at: openedAt,
          updated_at: closedAt ?? openedAt,
          merged_at: null,
          closed_at: closedAt,
        }),
      ),
    },
  });
  return repository.repoId;
}

const schema = createExecutableSchema();
const prepare = createDocuments(schema);

async function ask(
  analytics: Awaited<ReturnType<typeof openAnalytics>>,
  resources: OpenDerivationResources,
  text: string,
  given: object,
): Promise<Reply> {
  const { orgId } = resources;
  const context = createContext({
    orgId,
    analytics,
    unitRecords: createUnitRecords({ of: (_orgId, question) => question(resources) }),
    signal: new AbortController().signal,
    now: Date.parse('2029-01-01'),
    maxDays: 366,
  });
  const query = { text, operationName: null, persistedId: null, variables: { orgId, ...given } };
  const request = { method: 'POST', headers: {}, query: {} };
  const { data, errors = [] } = await executeQuery(request, query, prepare(text), schema, context, {
    requestId: 'test',
    isUnavailable: () => false,
    report: (error) => {
      throw error;
    },
  });
  expect(errors).toEqual([]);
  return JSON.parse(JSON.stringify(data)) as Reply; // as the query says
}

import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { persistedQueries } from '../../generated/graphql/schema.js';
import { parseAnalyticsUri } from '../../src/analytics/address.js';
import { calendarAsText } from '../../src/analytics/organization-calendar.js';
import { openWorkUnitStore } from '../../src/analytics/store/open.js';
import { withStoredRecords } from '../../src/platform/sources/records/stored-records.js';
import { openOptions } from '../analytics/engines.js';
import { unit } from '../analytics/graphql/served.js';
import { pyarrowMissing, readParquet } from '../support/pyarrow.js';
import { runMain, startMain } from './main-process.js';

const folder = mkdtempSync(join(tmpdir(), 'plumbline-query-'));
const db = `sqlite:${join(folder, 'records.db')}`;
const march = `dateRange=${JSON.stringify({ startDate: '2026-03-01', endDate: '2026-03-31' })}`;

/** More than two pages of 100, one of another organization, one whose author a spreadsheet would run. */
beforeAll(async () => {
  const store = await openWorkUnitStore(parseAnalyticsUri(db), openOptions);
  await store.ensureSchema();
  const mine = Array.from({ length: 230 }, (_, index) =>
    unit({ id: `u${index}`, day: `2026-03-${String((index % 28) + 1).padStart(2, '0')}`, churnLoc: index }),
  );
  const odd = unit({ id: 'odd', day: '2026-03-31', author: '=cmd("x")', churnLoc: null, completedAt: null });
  await store.apply({ orgId: 'acme', repoId: 'r', units: [...mine, odd], removed: [] });
  await store.apply({ orgId: 'other', repoId: 'r', units: [unit({ id: 'theirs', author: 'secret' })], removed: [] });
  const openness = { openedAt: Date.parse('2026-03-03T09:00:00Z'), closedAt: Date.parse('2026-03-24T09:00:00Z') };
  const reviewers = [{ reviewer: 'kim', team: 'core', reviews: 3 }];
  const request = unit({ id: 'request', workType: 'pull_request', openness, reviewers });
  const deployment = unit({ id: 'deployment', workType: 'deployment', day: '2026-03-10', changeFailed: true });
  await store.apply({ orgId: 'reviewed', repoId: 'r', units: [request, deployment], removed: [] });
  await store.apply({ orgId: 'far', repoId: 'r', units: [unit({ id: 'away', day: '2026-03-10' })], removed: [] });
  await store.close();
  const options = { orgId: 'far', signal: new AbortController().signal };
  await withStoredRecords({ store: db, rulesFile: null }, options, ({ records }) =>
    records.writeFile('calendar', 'far', calendarAsText({ weekStartsOn: 'SUNDAY', timeZone: 'Pacific/Auckland' })),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const query = (...args: string[]): ReturnType<typeof runMain> =>
  runMain(['query', ...args, '--db', db, '--org', 'acme']);

it('plumbline query lists the persisted queries with their variables', async () => {
  const { stdout, exitCode } = await runMain(['query']);
  expect(exitCode).toBe(0);
  for (const id of Object.keys(persistedQueries)) expect(stdout).toMatch(new RegExp(`^${id}( |$)`, 'm'));
  expect(stdout).toMatch(/^catalog-values +dimension, search$/m);
});

it('plumbline query --all exports every unit once, as NDJSON and as CSV, of one organization', async () => {
  const ndjson = await query('work-units', '--all', '--format', 'ndjson', '--var', march, 'first=100');
  expect(ndjson).toMatchObject({ exitCode: 0, stderr: '' });
  const units = ndjson.stdout
    .trimEnd()
    .split('\n')
    .map((line): { id: string; shares: unknown } => JSON.parse(line));
  expect(new Set(units.map(({ id }) => id)).size).toBe(231);
  expect(units).toHaveLength(231);
  expect(units.find(({ id }) => id === 'u7')).toMatchObject({
    churnLoc: 7,
    shares: [{ subcategory: 'quality.testing', share: 1 }],
  });
  expect(ndjson.stdout).not.toContain('secret');

  const csv = await query('work-units', '--all', '--format', 'csv', '--var', march, 'first=100', 'order=CHURN_LOC');
  const [head, first, ...others] = csv.stdout.split('\r\n');
  expect(head).toMatch(/^id,workType,title,url,repo,team,author,/);
  // The largest of the known sizes comes first, the unknown one last; nothing that a spreadsheet would run is left.
  expect(first).toMatch(/^u229,/);
  expect(others.at(-2)).toMatch(/^odd,commit,,,example\/api,core,"'=cmd\(""x""\)",/);
  expect(others).toHaveLength(231);
});

const noPyarrow = pyarrowMissing === null ? '' : ` (skipped: ${pyarrowMissing})`;
it.skipIf(noPyarrow !== '')(`plumbline query --all exports every unit as Parquet${noPyarrow}`, async () => {
  const args = ['query', 'work-units', '--all', '--format', 'parquet', '--var', march, 'first=100'];
  const child = startMain([...args, '--db', db, '--org', 'acme']);
  const file = join(folder, 'units.parquet');
  writeFileSync(file, Buffer.concat(await child.stdout.toArray()));
  const { rows, types } = await readParquet(file);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(231);
  expect(types).toMatchObject({ day: 'date32[day]', churnLoc: 'int32' });
  // A file for programs has the value itself, which CSV makes harmless for spreadsheets.
  expect(rows.find(({ id }) => id === 'odd')).toMatchObject({ author: '=cmd("x")', churnLoc: null, day: '2026-03-31' });
});

it('plumbline query stops without a message when its reader closes the pipe', async () => {
  // More than a pipe holds.
  const args = ['query', 'work-units', '--all', '--format', 'ndjson', '--var', march, 'first=100'];
  const child = startMain([...args, '--db', db, '--org', 'acme']);
  child.stdout.once('data', () => child.stdout.destroy());
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [exitCode] = await once(child, 'close');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

it('plumbline query prints tables, JSON and sparklines', async () => {
  const table = await query('team-values');
  expect(table.stdout).toBe('catalog.values\nvalue  count\ncore     231\n');

  const json = await query('distributions', '--format', 'json', '--var', march, 'compareWith=ORGANIZATION');
  const { analytics } = JSON.parse(json.stdout);
  expect(analytics.distributions[1].items[0].statistics).toEqual({
    count: 230,
    mean: 114.5,
    median: 114,
    p75: 172,
    p90: 206,
  });

  const lines = await query('distributions', '--format', 'sparkline', '--var', march);
  expect(lines.stdout.split('\n')).toHaveLength(3);
  expect(lines.stdout).toMatch(/^WORK_TYPE CHURN_LOC commit +\([▁-█]\)[▁-█ ]+ {2}last [\d.]+, largest [\d.]+$/m);
});

it('plumbline query says which calendar figures follow where it is not the usual one', async () => {
  const far = (...args: string[]): ReturnType<typeof runMain> =>
    runMain(['query', 'work-units', '--var', march, ...args, '--db', db, '--org', 'far']);
  const [head = '', first = ''] = (await far('--format', 'csv')).stdout.split('\r\n');
  expect([head, first]).toEqual([
    expect.stringMatching(/,calendar.weekStartsOn,calendar.timeZone$/),
    expect.stringMatching(/,SUNDAY,Pacific\/Auckland$/),
  ]);
  const row: unknown = JSON.parse((await far('--format', 'ndjson')).stdout);
  expect(row).toMatchObject({ 'calendar.weekStartsOn': 'SUNDAY', 'calendar.timeZone': 'Pacific/Auckland' });
  expect((await far()).stdout).toMatch(/\nWeeks begin on Sunday. Days are those of Pacific\/Auckland.\n$/);
  expect((await query('work-units', '--var', march)).stdout).not.toContain('Days are');
});

it('plumbline query prints no row for the empty breakdown of a period without work', async () => {
  const previous = `previous=${JSON.stringify({ startDate: '2026-01-01', endDate: '2026-01-31' })}`;
  const { stdout } = await query('overview', '--var', march, previous);
  const rows = stdout.split('\n').filter((line) => /^WORK_TYPE +COUNT /.test(line));
  expect(rows).toEqual([expect.stringMatching(/^WORK_TYPE +COUNT +commit +231 +2026-03-01 +-$/)]);
});

it('plumbline query prints work in progress and reviews', async () => {
  const ask = (...args: string[]): ReturnType<typeof runMain> =>
    runMain(['query', ...args, '--db', db, '--org', 'reviewed', '--var', march]);
  const line = await ask('work-in-progress', '--format', 'sparkline');
  expect(line.stdout).toMatch(/^all {2}[▁-█ ]+ {2}last 0, largest 1\n$/);
  const table = await ask('reviews');
  expect(table.stdout).toContain(
    'analytics.reviews.teams\nteam  reviewingTeam  reviews  requests  analytics.knownSince  analytics.knownUntil\n',
  );
  expect(table.stdout).toMatch(/^core {2}core +3 +1 {2}\d{4}-\d\d-\d\d +-$/m);
});

it("plumbline query draws a line for each of DORA's keys", async () => {
  const lines = await runMain([
    'query',
    'dora',
    '--format',
    'sparkline',
    '--db',
    db,
    '--org',
    'reviewed',
    '--var',
    march,
    'interval=WEEK',
  ]);
  const line = (figure: string): string | undefined =>
    lines.stdout.split('\n').find((each) => each.startsWith(`all ${figure} `));
  expect(line('deploymentFrequency.deployments')).toMatch(/ {2}▁█▁▁\(▁\) {2}last 0 \(partial\), largest 1$/);
  expect(line('deploymentFrequency.perDay')).toMatch(/ {2}▁█▁▁\(▁\) {2}last 0 \(partial\), largest 0\.14$/);
  // A rate without deployments does not exist.
  expect(line('changeFailureRate.rate')).toMatch(/ {3}█ {2}\( \) {2}last 1, largest 1$/);
  expect(line('timeToRestore.statistics.median')).toBeUndefined();
});

it('plumbline query runs the query of a file, with the range of the last days', async () => {
  const file = join(folder, 'own.graphql');
  const fields = 'breakdowns { items { key value } } timeseries { dimensionValue buckets { date value } }';
  writeFileSync(
    file,
    `query ($orgId: String!, $dateRange: DateRangeInput!) { analytics(orgId: $orgId, batch: {
       breakdowns: [{ dimension: TEAM, measure: COUNT, dateRange: $dateRange }]
       timeseries: [{ dimension: TEAM, measure: COUNT, interval: MONTH, dateRange: $dateRange }] }) { ${fields} } }`,
  );
  const csv = await query(file, '--format', 'csv', '--table', 'analytics.breakdowns', '--var', march);
  expect(csv.stdout).toBe('key,value\r\ncore,231\r\n');
  const unclear = await query(file, '--format', 'csv', '--days', '7');
  expect(unclear).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unclear.stderr).toContain('--table: analytics.breakdowns, analytics.timeseries');
});

it('plumbline query --all refuses a query that cannot go to the next page', async () => {
  const file = join(folder, 'one-page.graphql');
  writeFileSync(
    file,
    `query($orgId: String!, $dateRange: DateRangeInput!) {
      workUnits(orgId: $orgId, input: { dateRange: $dateRange, first: 1 }) { items { id } nextCursor }
    }`,
  );
  const { exitCode, stderr } = await query(file, '--all', '--format', 'ndjson', '--var', march);
  expect(stderr).toContain('--all needs a query that asks for nextCursor, and has a variable $after');
  expect(exitCode).toBe(2);
});

it.each([
  [['nothing'], '"nothing" is not a persisted query'],
  [['work-units', '--format', 'xml'], '--format must be one of'],
  [['work-units', '--all'], '--all needs --format csv, ndjson or parquet'],
  [['work-units', '--var', 'first=many'], '--var first must be JSON'],
  [['work-units', '--var', 'planet=1'], 'the query has $orgId'],
  [['work-units', '--days', '0'], '--days must be'],
  [['work-units', '--days', '9999999999'], '--days must be'],
  [['work-units', '--days', '400'], 'COST_LIMIT_EXCEEDED: 400 days were requested, and at most 365 are allowed'],
  [['team-values', '--all', '--format', 'csv'], '--all needs a query that asks for nextCursor'],
  [['team-values', '--format', 'sparkline'], 'nothing to draw: the result has no buckets'],
  [['reviews', '--format', 'sparkline', '--var', march], 'nothing to draw: the result has no buckets'],
])('plumbline query %j says what is wrong, and exits with 2', async (args, message) => {
  const { exitCode, stderr } = await query(...args);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});

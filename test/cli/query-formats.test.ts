import { expect, test } from 'vitest';
import { csvLine, columnsOf, sparklines, tableText } from '../../src/cli/query-formats.js';
import { seriesOf, tablesOf } from '../../src/cli/query-rows.js';

const buckets = [
  { date: '2026-01-26', value: 0, coverage: 'NONE' },
  { date: '2026-02-02', value: 1, coverage: 'PARTIAL' },
  { date: '2026-02-09', value: 8, coverage: 'FULL' },
  { date: '2026-02-16', value: 2, coverage: 'PARTIAL' },
];
const weekly = { analytics: { knownSince: '2026-02-04', timeseries: [{ dimensionValue: 'core', buckets }] } };

test('a sparkline marks the buckets that are covered in part, and leaves out those of which nothing is known', () => {
  expect(sparklines(seriesOf(weekly))).toBe('core  (▁)█(▂)  last 2 (partial), largest 8\n');
});

test('a table and CSV have the coverage of each bucket, and no value where nothing is known', () => {
  const [table] = tablesOf(weekly);
  const rows = table?.rows ?? [];
  expect(columnsOf(rows)).toEqual(['dimensionValue', 'date', 'value', 'coverage', 'analytics.knownSince']);
  expect(csvLine(Object.values(rows[0] ?? {}))).toBe('core,2026-01-26,,NONE,2026-02-04\r\n');
  expect(csvLine(Object.values(rows[1] ?? {}))).toBe('core,2026-02-02,1,PARTIAL,2026-02-04\r\n');
  expect(table === undefined ? '' : tableText(table)).toContain('2026-01-26      -  NONE');
});

test('each row says which work is known in part only, as a text', () => {
  const historyLimits = [
    { repo: 'acme/web', workType: 'commit', knownSince: '2026-02-04' },
    { repo: 'acme/api', workType: 'deployment', knownSince: '2026-01-28' },
  ];
  const [table, ...others] = tablesOf({ analytics: { ...weekly.analytics, historyLimits } });
  expect(others).toEqual([]);
  expect(table?.rows.map((row) => row['analytics.historyLimits'])).toEqual(
    buckets.map(() => 'acme/web: commit since 2026-02-04; acme/api: deployment since 2026-01-28'),
  );
  expect(tablesOf({ analytics: { ...weekly.analytics, historyLimits: [] } })).toEqual(tablesOf(weekly));
  expect(seriesOf({ analytics: { ...weekly.analytics, historyLimits } })).toEqual(seriesOf(weekly));
});

test('the lists of an object say how much of it is known', () => {
  const tables = tablesOf({
    codeHealth: { repo: 'a', commits: 86, coverage: 0.5, knownSince: '2026-08-03', directories: [{ path: 'test' }] },
  });
  expect(tables).toEqual([
    {
      name: 'codeHealth.directories',
      rows: [{ path: 'test', 'codeHealth.coverage': 0.5, 'codeHealth.knownSince': '2026-08-03' }],
    },
  ]);
});

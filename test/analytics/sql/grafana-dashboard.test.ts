/** Runs the statements of the dashboard for Grafana as a reader does, with Grafana's macros and variables replaced. */
import { readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantReader, revokeReader } from '../../../src/analytics/sql/postgres-readers.js';
import { createTwoOrganizations, MINE, newRole, type TwoOrganizations } from './sql-organizations.js';

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly rawSql: string; readonly format: 'time_series' | 'table' }[];
  }[];
}

const text = await readFile('src/platform/server/deploy/delivery-dashboard.json', 'utf8');
const dashboard: Dashboard = JSON.parse(text);
const statements = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ rawSql, format }) => [title, rawSql, format] as const),
);

const role = newRole();
let database: TwoOrganizations;
let reader: postgres.Sql;
let teams: readonly string[];

beforeAll(async () => {
  database = await createTwoOrganizations();
  await grantReader(database.admin, MINE, role, {
    password: 'the reader of Grafana',
    connections: 5,
    timeoutSeconds: 60,
  });
  reader = database.session(role, 'the reader of Grafana');
  const [variable] = dashboard.templating.list.filter(({ name }) => name === 'team');
  const rows = await reader.unsafe<{ team: string }[]>(variable?.query ?? '');
  teams = rows.map(({ team }) => team);
}, 180_000);
afterAll(async () => {
  await revokeReader(database.admin, role);
  await database.drop();
});

/** Replaces macros as the data source of Grafana does. */
function replaced(statement: string): string {
  return statement
    .replaceAll(/\$__timeFilter\(([^)]+)\)/g, "$1 between '2025-01-14T00:00:00Z' and '2026-01-14T23:59:59Z'")
    .replaceAll('${team:sqlstring}', teams.map((team) => `'${team}'`).join(','));
}

test('There is a team to choose', () => {
  expect(teams.length).toBeGreaterThan(0);
});

test.each(statements)('The panel "%s" has rows', async (_title, rawSql, format) => {
  const statement = replaced(rawSql);
  expect(statement).not.toContain('$');
  const rows = await reader.unsafe<Record<string, unknown>[]>(statement);
  expect(rows.length).toBeGreaterThan(0);
  const [first = {}] = rows;
  if (format === 'table') return;
  expect(first['time']).toBeInstanceOf(Date);
  expect(Object.values(first).some((value) => value !== null && !(value instanceof Date))).toBe(true);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryTools } from '../../../generated/graphql/tools.js';
import { operationTools } from '../../../generated/platform/tools.js';
import { fill, unit } from '../../analytics/graphql/served.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { createServiceToken, type Scope } from '../../support/service-token.js';
import { connectStdio, startTools, type ToolClient, type ToolServer } from './tool-client.js';

const scopes: Scope[] = [
  ...(['analytics:read', 'members:read', 'teams:read', 'teams:write', 'views:read', 'integrations:read'] as const),
  ...(['sync:read', 'sync:write', 'sync:run', 'setup:read', 'audit:read'] as const),
];
const lastQuarter = { startDate: '2026-07-01', endDate: '2026-09-30' };

let platform: TestPlatform;
let owner: TestUser;
let token: string;
let server: ToolServer;
let http: ToolClient;
let stdio: ToolClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  ({ token } = await createServiceToken(platform, owner, scopes, { name: 'agent' }));
  const units = [
    unit({ id: 'one', day: '2026-08-03' }),
    unit({ id: 'two', day: '2026-08-04' }),
    unit({ id: 'early', day: '2026-06-30' }),
  ];
  await fill(platform.databaseUri, owner.orgId, units);
  server = await startTools(platform.url, () => new Date('2026-11-23T12:00:00Z'));
  http = await server.connect(token);
  stdio = await connectStdio({ PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url });
});
afterAll(async () => {
  await stdio.close();
  await http.close();
  await server.stop();
  await platform.stop();
});

/** What the Analytics API answers, without tools. */
async function graphqlAnswer(id: string, variables: object): Promise<unknown> {
  const reply = await fetch(`${platform.url}/graphql?org_id=${owner.orgId}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Persisted-Query-Id': id, Authorization: `Bearer ${token}` },
    body: JSON.stringify({ variables: { ...variables, orgId: owner.orgId } }),
  });
  return ((await reply.json()) as { data: unknown }).data;
}

describe('What did we invest in last quarter', () => {
  test('is one call over HTTP, with the answer of the Analytics API', async () => {
    const { isError, data } = await http.call('investment_breakdown', { dateRange: 'last_quarter' });
    expect([isError, data.variables]).toEqual([false, { dateRange: lastQuarter }]);
    expect(data.data).toEqual(await graphqlAnswer('investment-breakdown', { dateRange: lastQuarter }));
    // Not the unit of June.
    expect(data.data.analytics.breakdowns[0].items).toEqual([{ key: 'quality', value: 2 }]);
  });

  test('is one call over standard input and output', async () => {
    const { isError, data } = await stdio.call('investment_breakdown', { dateRange: lastQuarter });
    expect(isError).toBe(false);
    expect(data.data).toEqual(await graphqlAnswer('investment-breakdown', { dateRange: lastQuarter }));
    const named = await stdio.call('investment_breakdown', { dateRange: 'last_quarter' });
    expect(named.data.variables.dateRange).toEqual({
      startDate: expect.stringMatching(/^\d{4}-(01|04|07|10)-01$/),
      endDate: expect.stringMatching(/^\d{4}-(03-31|06-30|09-30|12-31)$/),
    });
  });
});

test('A period ends today in the time zone of the organization', async () => {
  const traveller = await platform.signUp();
  const agent = await createServiceToken(platform, traveller, ['analytics:read'], { name: 'agent' });
  await platform.json('PUT', `/api/v1/organizations/${traveller.orgId}/calendar`, {
    token: traveller.accessToken,
    body: { week_starts_on: 'monday', time_zone: 'Pacific/Kiritimati' },
  });
  const tools = await server.connect(agent.token);
  // At noon in London it is 2 o'clock of the next day on Kiritimati.
  const { data } = await tools.call('investment_breakdown', { dateRange: 'last_7_days' });
  expect(data.variables.dateRange).toEqual({ startDate: '2026-11-18', endDate: '2026-11-24' });
  await tools.close();
});

describe('Every tool', () => {
  test('is listed with its schemas and hints, from the contracts', async () => {
    const { tools } = await http.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...operationTools, ...queryTools].map(({ name }) => name).sort(),
    );
    expect(tools.every(({ description = '', outputSchema }) => description !== '' && outputSchema !== undefined)).toBe(
      true,
    );
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints['investment_breakdown']).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints['start_sync_run']).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    expect(hints['delete_team']).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(JSON.stringify(tools)).not.toContain('$ref');
    expect((await stdio.client.listTools()).tools).toEqual(tools);
  });

  const queries: [string, object][] = [
    ...queryTools.map(({ name, inputSchema }): [string, object] => {
      const required = inputSchema['required'] as string[]; // generated as a list of names
      const known: Record<string, unknown> = {
        dateRange: 'last_quarter',
        previous: lastQuarter,
        dimension: 'TEAM',
        repo: 'api',
        id: 'one',
      };
      return [name, Object.fromEntries(required.map((each) => [each, known[each]]))];
    }),
  ];
  test.each(queries)('%s answers a query', async (name, given) => {
    const { isError, data, text } = await http.call(name, { ...given });
    expect([isError, data.data === undefined ? text : '']).toEqual([false, '']);
    expect(JSON.parse(text)).toEqual(data);
  });

  test('calls its operation', async () => {
    const created = await http.call('create_team', { id: 'payments', name: 'Payments', members: ['a@example.com'] });
    expect(created.data).toMatchObject({ id: 'payments', name: 'Payments' });
    expect((await http.call('update_team', { team_id: 'payments', name: 'Money' })).data.name).toBe('Money');
    expect((await http.call('get_team', { team_id: 'payments' })).data.name).toBe('Money');
    expect((await http.call('list_teams', { limit: 1 })).data.items).toHaveLength(1);
    expect((await http.call('delete_team', { team_id: 'payments' })).data).toEqual({});
    const body = { name: 'Synthetic', provider: 'synthetic', targets: ['git'], repositories: ['acme/shop'] };
    const { body: config } = await platform.json('POST', '/api/v1/admin/sync-configs', { token, body });
    const run = await http.call('start_sync_run', { sync_config_id: config.id });
    const place = { sync_config_id: config.id, run_id: run.data.id };
    expect((await http.call('get_sync_run', place)).data.status).toBe('pending');
    expect((await http.call('list_sync_runs', { sync_config_id: config.id })).data.items).toHaveLength(1);
    expect((await http.call('cancel_sync_run', place)).data.status).toBe('cancelled');
    expect((await http.call('get_sync_config', { sync_config_id: config.id })).data.name).toBe('Synthetic');
    for (const name of ['list_sync_configs', 'list_members', 'list_views', 'list_integrations', 'list_audit_log']) {
      expect((await http.call(name)).data.items).toBeInstanceOf(Array);
    }
    expect((await http.call('list_repositories', { provider: 'synthetic' })).isError).toBe(false);
    expect((await http.call('get_setup_status')).isError).toBe(false);
    expect((await http.call('get_freshness')).data.active_syncs).toBe(1);
  });
});

describe('A refusal of the server', () => {
  test('is a result with its problem, or its code', async () => {
    const missing = await http.call('get_team', { team_id: 'nobody' });
    expect([missing.isError, missing.data.type]).toEqual([true, '/problems/team-not-found']);
    const empty = await http.call('create_team', { id: 'empty' });
    expect([empty.isError, empty.data.type]).toEqual([true, '/problems/validation-failed']);
    const long = await http.call('weekly_timeseries', {
      dateRange: { startDate: '2020-01-01', endDate: '2026-01-01' },
    });
    expect([long.isError, long.data]).toMatchObject([true, { code: 'COST_LIMIT_EXCEEDED', limit_name: 'max_days' }]);
  });

  test('is the same for arguments that the schema does not allow, which are not sent', async () => {
    const before = platform.logLines.length;
    expect((await http.call('get_sync_run', { sync_config_id: 'x', run_id: 'y' })).data.type).toBe(
      '/problems/validation-failed',
    );
    expect((await http.call('investment_breakdown', { dateRange: 'some time' })).data.code).toBe('VALIDATION_ERROR');
    expect((await http.call('list_members', { org_id: 'another' })).text).toContain('/org_id is unknown; remove it');
    expect(platform.logLines.slice(before).join('\n')).not.toMatch(/sync-configs|graphql|members/);
  });
});

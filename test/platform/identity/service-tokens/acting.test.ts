/** A service token acts for its organization: what it changes, what the audit log says, what it reads, what it cannot. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../../generated/platform/routes.js';
import { fill, post, unit } from '../../../analytics/graphql/served.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { analyticsOperation, observeScope } from '../../../support/scope-contract.js';
import { createServiceToken, type Scope, type TestServiceToken } from '../../../support/service-token.js';
import { exampleDefinition } from '../../figures/views/definition.js';

let platform: TestPlatform;
let owner: TestUser;
let other: TestUser;
let machine: TestServiceToken;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  other = await platform.signUp();
  const scopes: Scope[] = [
    ...(['classification:write', 'integrations:write', 'records:write', 'sync:run', 'sync:write'] as const),
    ...(['teams:write', 'views:write', 'webhooks:write', 'scim:write'] as const),
  ];
  machine = await createServiceToken(platform, owner, scopes, { name: 'machine' });
});
afterAll(() => platform.stop());

/** The data of an event. */
const finished = { sync_config_id: randomUUID(), sync_run_id: randomUUID(), status: 'complete' };

/** Every operation that changes something and takes service tokens. */
const changing = routes
  .filter(({ method, security }) => method !== 'GET' && security.schemes.some(({ name }) => name === 'serviceToken'))
  .map(({ operationId }): string => operationId);

describe('Each change by a service token', () => {
  test('is in the audit log with the token as the actor', async () => {
    const organization = `/api/v1/organizations/${owner.orgId}`;
    const done: string[] = [];
    const act = async (operation: string, method: string, path: string, body?: unknown): Promise<JsonReply['body']> => {
      const { sql } = platform.database;
      const before = new Set((await sql`select id from audit_log`).map((row): string => row['id']));
      const reply = await platform.json(method, path, { token: machine.token, body });
      expect([operation, Math.floor(reply.status / 100)]).toEqual([operation, 2]);
      const records = await sql`select id, user_id, service_token_id, org_id from audit_log`;
      expect([operation, ...records.filter((each) => !before.has(each['id']))]).toEqual([
        operation,
        { id: expect.any(String), user_id: null, service_token_id: machine.id, org_id: owner.orgId },
      ]);
      done.push(operation);
      return reply.body;
    };
    const host = { provider: 'host_a', name: 'Host', token: 'a-token-of-a-host', base_url: 'http://127.0.0.1:9' };
    const integration = await act('connectIntegration', 'POST', '/api/v1/admin/integrations', host);
    await act('testIntegration', 'POST', `/api/v1/admin/integrations/${integration.id}/test`);
    const configuration = { name: 'All', provider: 'host_a', targets: ['git'], repositories: ['a/*'] };
    const config = await act('createSyncConfig', 'POST', '/api/v1/admin/sync-configs', {
      ...configuration,
      integration_id: integration.id,
    });
    const configPath = `/api/v1/admin/sync-configs/${config.id}`;
    await act('updateSyncConfig', 'PATCH', configPath, { name: 'Every one' });
    const run = await act('startSyncRun', 'POST', `${configPath}/runs`);
    expect(run.requested_by).toBeNull();
    await act('cancelSyncRun', 'POST', `${configPath}/runs/${run.id}/cancel`);
    await act('deleteSyncConfig', 'DELETE', configPath);
    await act('disconnectIntegration', 'DELETE', `/api/v1/admin/integrations/${integration.id}`);
    const team = await act('createTeam', 'POST', `${organization}/teams`, { id: 'core', members: ['robin'] });
    await act('updateTeam', 'PATCH', `${organization}/teams/${team.id}`, { name: 'Core' });
    await act('deleteTeam', 'DELETE', `${organization}/teams/${team.id}`);
    const importing = { 'Content-Type': 'application/yaml', Authorization: `Bearer ${machine.token}` };
    const imported = await platform.fetch(`${platform.url}${organization}/teams`, {
      method: 'PUT',
      headers: importing,
      body: 'teams: [{ id: web, members: [robin] }]\n',
    });
    expect(imported.status).toBe(200);
    const [record] = await platform.database.sql`
      select user_id, service_token_id from audit_log where action = 'TEAMS_IMPORTED'`;
    expect(record).toEqual({ user_id: null, service_token_id: machine.id });
    done.push('importTeams');
    await act('assignTeams', 'POST', `${organization}/team-assignment`);
    const issue = {
      repository: 'https://github.com/a/b',
      number: 1,
      title: 'One',
      created_at: '2026-03-01T10:00:00.000Z',
    };
    const detected = {
      id: '1',
      source: '/a',
      type: 'dev.cdevents.incident.detected.0.3.0',
      timestamp: '2026-03-02T09:12:00Z',
    };
    const event = { context: detected, subject: { id: '1' }, customData: { repository: 'https://github.com/a/b' } };
    await act('acceptCdevent', 'POST', `${organization}/cdevents`, event);
    const structured = await platform.fetch(`${platform.url}${organization}/cdevents/structured`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/cloudevents+json', Authorization: `Bearer ${machine.token}` },
      body: JSON.stringify({ data: event }),
    });
    expect(structured.status).toBe(202);
    done.push('acceptCloudevent');
    await act('pushRecords', 'POST', `${organization}/records`, { issues: [issue] });
    await act('importRules', 'PUT', `${organization}/rules`, { file: 'rules: []' });
    await act('importAuthors', 'PUT', `${organization}/authors`, { authors: [] });
    await act('updateCalendar', 'PUT', `${organization}/calendar`, {
      week_starts_on: 'sunday',
      time_zone: 'UTC',
    });
    await fill(platform.databaseUri, owner.orgId, [unit({ id: 'repo-1:commit:a' })]);
    const correction = `${organization}/corrections/repo-1:commit:a`;
    await act('correctWorkUnit', 'PUT', correction, { subcategory: 'quality.bugfix' });
    await act('deleteCorrection', 'DELETE', correction);
    const view = await act('createView', 'POST', `${organization}/views`, {
      name: 'Made by a machine',
      definition: exampleDefinition,
    });
    expect(view).toMatchObject({ created_by: null, created_by_name: null });
    await act('updateView', 'PATCH', `${organization}/views/${view.id}`, { name: 'Changed' });
    await act('deleteView', 'DELETE', `${organization}/views/${view.id}`);
    const hook = { url: 'https://hooks.example.com/', events: ['sync_run.finished'] };
    const { webhook } = await act('createWebhook', 'POST', `${organization}/webhooks`, hook);
    const webhookPath = `${organization}/webhooks/${webhook.id}`;
    await act('updateWebhook', 'PATCH', webhookPath, { is_active: true });
    await act('rotateWebhookSecret', 'POST', `${webhookPath}/rotate-secret`, { overlap_seconds: 0 });
    const [delivery] = await platform.database.sql`
      insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at)
      values (${webhook.id}, gen_random_uuid(), 'sync_run.finished', 'a sync', ${JSON.stringify(finished)}, now(), 'infinity')
      returning id`;
    await act('resendWebhookDelivery', 'POST', `${webhookPath}/deliveries/${String(delivery?.['id'])}/resend`);
    await act('testWebhook', 'POST', `${webhookPath}/test`);
    await act('deleteWebhook', 'DELETE', webhookPath);
    const person = await act('createScimUser', 'POST', '/scim/v2/Users', { userName: 'robin@example.com' });
    const personPath = `/scim/v2/Users/${person.id}`;
    await act('replaceScimUser', 'PUT', personPath, { userName: 'robin@example.com', displayName: 'Robin' });
    const patch = { Operations: [{ op: 'remove', path: 'displayName' }] };
    await act('updateScimUser', 'PATCH', personPath, patch);
    const group = await act('createScimGroup', 'POST', '/scim/v2/Groups', { displayName: 'Developers' });
    const groupPath = `/scim/v2/Groups/${group.id}`;
    await act('replaceScimGroup', 'PUT', groupPath, { displayName: 'Engineers' });
    await act('updateScimGroup', 'PATCH', groupPath, {
      Operations: [
        { op: 'remove', path: 'externalId' },
        { op: 'replace', path: 'displayName', value: 'All' },
      ],
    });
    await act('deleteScimGroup', 'DELETE', groupPath);
    await act('deleteScimUser', 'DELETE', personPath);
    expect(done.sort()).toEqual([...changing].sort());

    const path = `/api/v1/admin/audit-log?limit=200&service_token_id=${machine.id}`;
    const log = await platform.json('GET', path, { token: owner.accessToken });
    expect(log.body.items).toHaveLength(changing.length);
    for (const each of log.body.items) {
      expect(each).toMatchObject({ service_token_id: machine.id, user_id: null });
    }
  });

  test('also concerns views of members', async () => {
    const path = `/api/v1/organizations/${owner.orgId}/views`;
    const body = { name: 'Of the owner', definition: exampleDefinition };
    const saved = await platform.json('POST', path, { token: owner.accessToken, body });
    const changed = await platform.json('PATCH', `${path}/${saved.body.id}`, {
      token: machine.token,
      body: { name: 'Renamed' },
    });
    expect([changed.status, changed.body.created_by]).toEqual([200, owner.userId]);
  });

  test('never reaches another organization', async () => {
    const body = { provider: 'host_a', name: 'Theirs', token: 'their-token', base_url: 'http://127.0.0.1:9' };
    const theirs = await platform.json('POST', '/api/v1/admin/integrations', { token: other.accessToken, body });
    const path = `/api/v1/admin/integrations/${theirs.body.id}`;
    expect((await platform.json('DELETE', path, { token: machine.token })).status).toBe(404);
    expect((await platform.json('POST', `${path}/test`, { token: machine.token })).status).toBe(404);
    const borrowed = {
      name: 'Borrowed',
      provider: 'host_a',
      targets: ['git'],
      repositories: ['a/*'],
      integration_id: theirs.body.id,
    };
    const created = await platform.json('POST', '/api/v1/admin/sync-configs', { token: machine.token, body: borrowed });
    expect(created.status).toBe(422);
  });
});

describe('A query of the analytics', () => {
  const body = (user: TestUser): object => ({
    query: 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value } } }',
    variables: { orgId: user.orgId },
  });

  test('takes a token with analytics:read, for its organization only', async () => {
    for (const [user, team] of [
      [owner, 'ours'],
      [other, 'theirs'],
    ] as const) {
      await fill(platform.databaseUri, user.orgId, [unit({ id: `${team}-1`, team })]);
    }
    const { token } = await createServiceToken(platform, owner, ['analytics:read'], { name: 'reader' });
    const read = await post(platform, owner, { token, body: body(owner) });
    expect([read.status, JSON.stringify(read.data)]).toEqual([200, expect.stringContaining('ours')]);
    expect(read.headers.get('RateLimit-Policy')).toContain('"service-token"');
    observeScope(analyticsOperation, 'analytics:read', 'accepted');
    const foreign = await post(platform, other, { token, body: body(other) });
    expect(foreign.status).toBe(403);
    expect(foreign.errors[0].extensions.code).toBe('AUTHORIZATION_ERROR');
    expect((await post(platform, other, { token, orgId: randomUUID(), body: body(other) })).status).toBe(403);
  });

  test('names the scope that a token lacks', async () => {
    const reply = await post(platform, owner, { token: machine.token, body: body(owner) });
    expect([reply.status, reply.errors[0].extensions.code, reply.errors[0].message]).toEqual([
      403,
      'AUTHORIZATION_ERROR',
      'Queries need the scope analytics:read, which the service token lacks.',
    ]);
    observeScope(analyticsOperation, 'analytics:read', 'refused');
  });

  test('is counted per token', async () => {
    const limited = await startTestPlatform({ environment: { ANALYTICS_QUERY_LIMIT: '1/hour' } });
    try {
      const user = await limited.signUp();
      const tokens = await Promise.all(
        ['one', 'two'].map((name) => createServiceToken(limited, user, ['analytics:read'], { name })),
      );
      for (const { token } of tokens) {
        expect((await post(limited, user, { token, body: body(user) })).status).toBe(200);
        const refused = await post(limited, user, { token, body: body(user) });
        expect([refused.status, refused.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
      }
      expect((await post(limited, user, { body: body(user) })).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

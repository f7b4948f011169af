import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { mark } from '../../tenancy/deletion/requests.js';
import { eventually } from '../sync-runs/jobs/queue.js';

const repository = 'https://github.com/acme/shop';
let platform: TestPlatform;
let owner: TestUser;
let token: string;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' } });
});
beforeEach(async () => {
  owner = await platform.signUp();
  ({ token } = await createServiceToken(platform, owner, ['records:write']));
});
afterAll(() => platform.stop());

interface Sent {
  readonly content?: object;
  readonly subject?: string;
  readonly id?: string;
  readonly customData?: unknown;
}

/** An event as the SDKs of CDEvents send it. @param time of the 2nd of March 2026 */
function event(
  type: string,
  time: string,
  { content = {}, subject = 'mySubject123', id, customData }: Sent = {},
): object {
  return {
    context: {
      specversion: '0.4.1',
      id: id ?? randomUUID(),
      source: '/event/source/123',
      type: `dev.cdevents.${type}`,
      timestamp: `2026-03-02T${time}Z`,
      links: [],
    },
    subject: { id: subject, source: '/event/source/123', type: type.split('.')[0], content },
    ...(customData === undefined ? {} : { customData }),
  };
}

const path = (suffix = ''): string => `/api/v1/organizations/${owner.orgId}/cdevents${suffix}`;
const query = `?repository=${encodeURIComponent(repository)}`;

/** Sends the binary mode, in which the body is the event. */
function send(body: unknown, suffix = query): Promise<JsonReply> {
  return platform.json('POST', path(suffix), { token, body, headers: { 'ce-specversion': '1.0' } });
}

/** Sends the structured mode. */
async function sendStructured(data: unknown, suffix = query): Promise<JsonReply> {
  const reply = await platform.fetch(`${platform.url}${path(`/structured${suffix}`)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/cloudevents+json; charset=utf-8', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ specversion: '1.0', id: '1', source: '/a', type: 'dev.cdevents', data }),
  });
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
}

const accepted = { status: 202, body: { outcome: 'accepted' } };

async function stored(): Promise<void> {
  const records = `/api/v1/organizations/${owner.orgId}/records`;
  await eventually(async () => (await platform.json('GET', records, { token })).body.state).toBe('done');
}

const at = (time: string): Date => new Date(`2026-03-02T${time}Z`);

it('A deployment of a service is one for each event, of any version, also when it is sent twice', async () => {
  const content = { environment: { id: 'production', source: '/eu' }, artifactId: 'pkg:oci/shop@sha256%3A0b31' };
  const commit = '5a8c0f2b1d9e4c7a6b3f8d2e1c0b9a8f7e6d5c4b';
  const first = event('service.deployed.0.2.0', '09:00:00', { content, customData: { repository, commit } });
  expect(await send(first, '')).toMatchObject(accepted);
  expect(await send(first, '')).toMatchObject(accepted);
  expect(await sendStructured(event('service.upgraded.0.3.0-draft', '10:00:00', { content }))).toMatchObject(accepted);
  expect(await send(event('service.rolledback.0.1.1', '11:00:00', { content }))).toMatchObject(accepted);
  await stored();
  const rows = await platform.database.sql`
    select d.status, d.environment, d.release_ref, d.commit_hash, d.started_at, d.deployed_at, r.url
    from deployments d join repos r on r.id = d.repo_id where d.org_id = ${owner.orgId} order by d.deployed_at`;
  const one = {
    status: 'success',
    environment: 'production',
    release_ref: content.artifactId,
    started_at: null,
    url: repository,
  };
  expect(rows).toEqual([
    { ...one, commit_hash: commit, deployed_at: at('09:00:00') },
    { ...one, commit_hash: null, deployed_at: at('10:00:00') },
    { ...one, commit_hash: null, deployed_at: at('11:00:00') },
  ]);
  const [count] = await platform.database.sql`
    select count(*)::int as units from work_units where org_id = ${owner.orgId} and work_type = 'deployment'`;
  expect(count).toEqual({ units: 3 });
});

it('The events of an incident are one incident, in whatever order they come', async () => {
  const detected = (subject: string): object =>
    event('incident.detected.0.3.0', '09:12:00', { subject, content: { description: 'Slow' } });
  const reported = (subject: string): object => event('incident.reported.0.2.0', '09:20:00', { subject });
  const resolved = (subject: string): object =>
    event('incident.resolved.0.3.0', '09:40:00', { subject, content: { description: 'Fast again' } });
  for (const make of [detected, reported, resolved]) expect(await send(make('in order'))).toMatchObject(accepted);
  await stored(); // some of the others meet a stored incident
  expect(await send(resolved('reversed'))).toMatchObject(accepted);
  await stored();
  for (const make of [reported, detected]) expect(await send(make('reversed'))).toMatchObject(accepted);
  await stored();
  const rows = await platform.database.sql`
    select incident_id, title, status, started_at, resolved_at from incidents
    where org_id = ${owner.orgId} order by incident_id`;
  const one = { title: 'Slow', status: 'closed', started_at: at('09:12:00'), resolved_at: at('09:40:00') };
  expect(rows).toEqual([
    { incident_id: 'push:/event/source/123#in order', ...one },
    { incident_id: 'push:/event/source/123#reversed', ...one },
  ]);
});

it('The events of a run of a pipeline are one build, in whatever order they come', async () => {
  const phases = [
    ['queued', '09:00:00', {}],
    ['started', '09:01:00', {}],
    ['finished', '09:05:00', { outcome: 'error' }],
  ] as const;
  const orders = {
    forwards: [0, 1, 2],
    backwards: [2, 1, 0],
    'queued late': [2, 0],
    'started late': [2, 1],
    shuffled: [1, 0, 2],
  };
  for (const [subject, order] of Object.entries(orders)) {
    for (const place of order) {
      const [name, time, content] = phases[place] ?? phases[0];
      expect(await send(event(`pipelinerun.${name}.0.2.0`, time, { subject, content }))).toMatchObject(accepted);
    }
  }
  const running = event('pipelinerun.started.0.2.0', '12:00:00', { subject: 'running' });
  expect(await send(running)).toMatchObject(accepted);
  await stored();
  const rows = await platform.database.sql`
    select substr(run_id, 24) as subject, status, queued_at, started_at, finished_at from ci_pipeline_runs
    where org_id = ${owner.orgId} order by 1`;
  const whole = {
    status: 'failure',
    queued_at: at('09:00:00'),
    started_at: at('09:01:00'),
    finished_at: at('09:05:00'),
  };
  expect(rows).toEqual([
    { subject: 'backwards', ...whole },
    { subject: 'forwards', ...whole },
    { subject: 'queued late', ...whole, started_at: at('09:00:00') },
    { subject: 'running', status: 'in_progress', queued_at: null, started_at: at('12:00:00'), finished_at: null },
    { subject: 'shuffled', ...whole },
    { subject: 'started late', ...whole, queued_at: null },
  ]);
});

it('Other events are ignored, and what is not an event is refused', async () => {
  for (const type of ['change.merged.0.2.0', 'ticket.created.0.1.0', 'service.removed.0.2.0'])
    expect(await send(event(type, '09:00:00'))).toMatchObject({ status: 202, body: { outcome: 'ignored' } });
  const violations = async (reply: Promise<JsonReply>): Promise<readonly string[]> => {
    const { status, body } = await reply;
    expect([status, body.type]).toEqual([422, '/problems/validation-failed']);
    return body.violations.map((violation: { path: string }) => violation.path);
  };
  expect(await violations(send({}))).toEqual([
    '/body/context/type',
    '/body/context/timestamp',
    '/body/context/id',
    '/body/context/source',
    '/body/subject/id',
  ]);
  expect(await violations(sendStructured(undefined, ''))).toContain('/body/data/customData/repository');
  const good = event('incident.detected.0.3.0', '09:12:00');
  expect(await violations(send(good, ''))).toEqual(['/body/customData/repository']);
  expect(await violations(send({ ...good, customData: { repository: '/srv/shop' } }, ''))).toEqual([
    '/body/customData/repository',
  ]);
  expect(await violations(send(good, '?repository=shop'))).toEqual(['/query/repository']);
  for (const timestamp of ['yesterday', '2999-01-01T00:00:00Z', '1960-01-01T00:00:00Z']) {
    const context = { id: '1', source: '/a', type: 'dev.cdevents.incident.detected.0.3.0', timestamp };
    expect(await violations(send({ context, subject: { id: '1' } }))).toEqual(['/body/context/timestamp']);
  }
  expect(
    (await platform.database.sql`select from audit_log where action = 'RECORDS_PUSHED' and org_id = ${owner.orgId}`)
      .length,
  ).toBe(0);
});

it('An event is refused while too much waits, and for an organization that is marked for deletion', async () => {
  const { sql } = platform.database;
  await sql`insert into pushed_records (org_id, content, records, bytes, pushed_at) values (${owner.orgId}, '{}', 100000, 2, now())`;
  await refused('too-many-pushes');
  await mark(platform, owner);
  await refused('deletion-pending');
});

/** Both modes. */
async function refused(problem: string): Promise<void> {
  const options = { token: owner.accessToken, body: event('incident.detected.0.3.0', '09:12:00') };
  for (const suffix of [query, `/structured${query}`]) {
    const headers = suffix === query ? {} : { 'Content-Type': 'application/cloudevents+json' };
    const body = suffix === query ? options.body : { data: options.body };
    expect(await platform.json('POST', path(suffix), { ...options, body, headers })).toMatchObject({
      status: 409,
      body: { type: `/problems/${problem}` },
    });
  }
}

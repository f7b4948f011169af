import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { unwrap } from '../../sdk/src/index.js';
import {
  connectIntegration,
  createPlatformClient,
  createSyncConfig,
  getMe,
  getSyncRun,
  login,
  register,
  startSyncRun,
  testIntegration,
  verifyEmail,
} from '../../sdk/src/platform.js';
import { json, startCodeHostDouble } from '../platform/sources/integrations/code-host-double.js';
import { startMailbox } from '../support/mailbox.js';
import { testPassword } from '../support/platform.js';
import { createTestDatabase } from '../support/postgres.js';
import {
  startCollector,
  startTraceReceiver,
  withoutCollector,
  type ReceivedSpan,
  type TraceReceiver,
} from '../support/trace-receiver.js';
import { plumbline, startServer } from './plumbline.js';

const email = 'robin.traced@example.com';
const hostToken = 'ghp_the-secret-of-this-test';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

const ways = [
  { name: 'as JSON', start: startTraceReceiver, protocol: 'http/json', skipped: '' },
  {
    name: 'as Protobuf through a collector',
    start: startCollector,
    protocol: 'http/protobuf',
    skipped: withoutCollector,
  },
];

for (const { name, start, protocol, skipped } of ways) {
  describe.skipIf(skipped !== '')(`Traces ${name}${skipped}`, () => {
    let receiver: TraceReceiver;
    let seen: Awaited<ReturnType<typeof makeTraces>>;
    beforeAll(async () => {
      receiver = await start();
      seen = await makeTraces(receiver, protocol);
    }, 240_000); // the process of a sync runs at low priority
    afterAll(() => receiver.stop());

    const spansNamed = (spanName: string): ReceivedSpan[] => receiver.spans.filter((span) => span.name === spanName);
    const below = ({ spanId }: ReceivedSpan): ReceivedSpan[] =>
      receiver.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

    test('have a span per operation, with its route and status', () => {
      const [registered] = spansNamed('register');
      expect(registered).toMatchObject({ service: 'plumbline', kind: 2, parentSpanId: '', isFailed: false });
      expect(registered?.attributes).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/api/v1/auth/register',
        'http.response.status_code': '201',
      });
      expect(spansNamed('POST (unmatched)')).toHaveLength(1);
    });

    test('continue the trace of a caller', () => {
      const [me] = spansNamed('getMe');
      expect(me).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' });
      expect(seen.logLines.find(({ operation }) => operation === 'getMe')).toMatchObject({
        trace_id: traceId,
        span_id: me?.spanId,
      });
    });

    test('name GraphQL spans by the persisted query, or by the operation', () => {
      expect(spansNamed('graphql catalog-dimensions')).toHaveLength(1);
      const [named] = spansNamed('graphql MyCharts');
      if (named === undefined) throw new Error('there is no span of the named operation');
      const [analytics] = receiver.spans.filter(
        (span) => span.traceId === named.traceId && span.name === 'query analytics',
      );
      expect(analytics?.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    });

    test('have the statements of an operation below it, with placeholders for values', () => {
      const [me] = spansNamed('getMe');
      const statements = me === undefined ? [] : below(me);
      expect(statements.map(({ name: statement }) => statement)).toContainEqual(expect.stringMatching(/^SELECT /));
      expect(statements[0]).toMatchObject({ kind: 3 });
      expect(statements[0]?.attributes['db.query.text']).toMatch(/\$1/);
      const [transaction] = below(spansNamed('register')[0] as ReceivedSpan).filter(
        (span) => span.name === 'transaction',
      );
      expect(transaction === undefined ? [] : below(transaction)).not.toHaveLength(0);
    });

    test('have a span per mail and per call to a code host, which gets its traceparent', () => {
      expect(spansNamed('deliver mail')[0]).toMatchObject({ kind: 3, parentSpanId: '', isFailed: false });
      const [tested] = spansNamed('testIntegration');
      const [call] = receiver.spans.filter((span) => span.traceId === tested?.traceId && span.name === 'GET');
      expect(call?.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': '200' });
      expect(seen.hostTraces).toContain(`00-${tested?.traceId}-${call?.spanId}-01`);
    });

    test('have a span per page of a sync, from the process of the sync', () => {
      const [repository] = spansNamed('sync repository');
      if (repository === undefined) throw new Error('there is no span of a repository');
      expect(repository.attributes).toMatchObject({ 'plumbline.sync.provider': 'synthetic' });
      expect(below(repository).filter((span) => span.name === 'store sync page').length).toBeGreaterThan(0);
    });

    test('contain nothing that callers or organizations have entered', () => {
      const text = receiver.received();
      expect(text).toContain('getMe');
      for (const secret of [...seen.secrets, email, testPassword, hostToken, 'acme/'])
        expect(text).not.toContain(secret);
    });
  });
}

test('a protocol that is not supported stops the start with one line', async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const { exitCode, stderr } = await plumbline(['serve'], { environment });
  expect([exitCode, stderr]).toEqual([
    1,
    'plumbline: OTEL_EXPORTER_OTLP_PROTOCOL is grpc. Use http/protobuf or http/json.\n',
  ]);
});

test('a collector that is away costs a line of the log, and nothing else', async () => {
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), 'plumbline-tracing-'));
  const server = await startServer({
    environment: {
      PLUMBLINE_HOME: home,
      DATABASE_URI: database.uri,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  });
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  await vi.waitUntil(() => server.logLines.some(({ msg }) => msg === 'traces cannot be exported'), { timeout: 30_000 });
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  server.kill('SIGTERM');
  expect((await server.finished).exitCode).toBe(0);
  await database.drop();
  await rm(home, { recursive: true });
});

/** What an organization does on its first day, on a built server that exports to `receiver`. */
async function makeTraces(
  receiver: TraceReceiver,
  protocol: string,
): Promise<{
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
  readonly hostTraces: readonly unknown[];
  readonly secrets: readonly string[];
}> {
  const [database, mailbox, host] = await Promise.all([createTestDatabase(), startMailbox(), startCodeHostDouble()]);
  const home = await mkdtemp(join(tmpdir(), 'plumbline-tracing-'));
  const hostTraces: unknown[] = [];
  host.answer((request, response) => {
    hostTraces.push(request.headers['traceparent']);
    json(200, { login: 'someone' })(request, response);
  });
  const server = await startServer({
    environment: {
      PLUMBLINE_HOME: home,
      DATABASE_URI: database.uri,
      MAIL_URL: mailbox.url,
      INTEGRATION_NETWORKS: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  try {
    const baseUrl = server.url;
    const client = createPlatformClient({ baseUrl });
    unwrap(await register(client, { body: { email, password: testPassword, org_name: 'Secret Works' } }));
    await vi.waitUntil(() => mailbox.mails.length > 0, { timeout: 20_000 });
    const verification = mailbox.mails[0]?.token ?? '';
    unwrap(await verifyEmail(client, { query: { token: verification } }));
    unwrap(await login(client, { body: { email, password: testPassword } }));
    const tokens = await client.tokens.get();
    const traced = createPlatformClient({ baseUrl, tokens: client.tokens, traceContext: () => ({ traceparent }) });
    const { org_id: orgId } = unwrap(await getMe(traced));

    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${tokens?.access_token}` };
    const graphql = async (body: object, id?: string): Promise<void> => {
      const persisted = id === undefined ? {} : { 'X-Persisted-Query-Id': id };
      const reply = await fetch(`${baseUrl}/graphql?org_id=${orgId}`, {
        method: 'POST',
        headers: { ...headers, ...persisted },
        body: JSON.stringify({ variables: { orgId }, ...body }),
      });
      expect(await reply.json()).not.toHaveProperty('errors');
    };
    await graphql({}, 'catalog-dimensions');
    await graphql({
      query: 'query MyCharts($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value } } }',
    });
    await fetch(`${baseUrl}/nowhere/${tokens?.refresh_token}?token=${verification}`, { method: 'POST' });

    const integration = unwrap(
      await connectIntegration(client, {
        body: { provider: 'host_a', name: 'main', token: hostToken, base_url: host.url },
      }),
    );
    unwrap(await testIntegration(client, { params: { integration_id: integration.id } }));
    const config = unwrap(
      await createSyncConfig(client, {
        body: { name: 'all', provider: 'synthetic', targets: ['git'], repositories: ['acme/*'] },
      }),
    );
    const params = { sync_config_id: config.id };
    const run = unwrap(await startSyncRun(client, { params }));
    const statusOf = async (): Promise<string> =>
      unwrap(await getSyncRun(client, { params: { ...params, run_id: run.id } })).status;
    await vi.waitUntil(async () => (await statusOf()) === 'complete', { timeout: 150_000, interval: 500 });

    server.kill('SIGTERM');
    expect((await server.finished).exitCode).toBe(0);
    await vi.waitUntil(() => receiver.spans.some((span) => span.name === 'sync repository'), { timeout: 20_000 });
    const secrets = [
      verification,
      tokens?.access_token ?? '',
      tokens?.refresh_token ?? '',
      orgId ?? '',
      'Secret Works',
    ];
    return { logLines: server.logLines, hostTraces, secrets };
  } finally {
    server.kill('SIGKILL');
    await server.finished;
    await Promise.all([mailbox.stop(), host.stop(), database.drop(), rm(home, { recursive: true })]);
  }
}

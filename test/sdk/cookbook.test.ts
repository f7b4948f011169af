/** Runs every block of the SDK's README: against a real server where one answers in time, else against a fake one. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createComposeClient } from '../../sdk/src/compose.js';
import { unwrap } from '../../sdk/src/index.js';
import { createPlatformClient, getSyncRun, type PlatformClient } from '../../sdk/src/platform.js';
import { createFakeCompose, createFakePlatform } from '../../sdk/src/testing.js';
import { systemClock } from '../../src/compose/runtime/clock.js';
import { addClient } from '../../src/compose/service/auth-store-edits.js';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import { runService, type RunningService } from '../compose/service/running-service.js';
import { createCertificates, missingOpenssl, type Certificates } from '../support/certificates.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { readmeBlocks, runBlock } from './readme-blocks.js';

const host = 'https://plumbline.example.com';
const blocks = new Map(readmeBlocks().map(({ name, text }) => [name, text]));

let platform: TestPlatform;
let owner: TestUser;
let client: PlatformClient;
let serviceToken: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp({ email: 'robin@example.com' });
  await fill(platform.databaseUri, owner.orgId, smallOrganization);
  serviceToken = (await createServiceToken(platform, owner, ['analytics:read', 'setup:read'])).token;
  client = createPlatformClient({ baseUrl: platform.url });
  await client.tokens.set({ access_token: owner.accessToken, refresh_token: owner.refreshToken });
});
afterAll(() => platform.stop());

/** Runs a block against the platform. @returns what it shows */
function run(name: string, assumed: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const { email, password, orgId } = owner;
  const usual = { client, email, password, orgId, address: platform.url, serviceToken };
  return runBlock(textOf(name), { [host]: platform.url }, { ...usual, ...assumed });
}

function textOf(name: string): string {
  const text = blocks.get(name);
  if (text === undefined) throw new Error(`The README has no block ${name}`);
  return text;
}

/** Blocks that need nothing but the platform, and what they show. */
const shown: Readonly<Record<string, readonly unknown[]>> = {
  'First call': [expect.stringMatching(/ may analytics:read, setup:read$/)],
  'First call 2': ['Hello robin@example.com'],
  'Results and narrowing': ['Welcome.'],
  'Paths instead of functions': ['robin@example.com'],
  Errors: ['robin@example.com'],
  'Request ids': [],
  'Service tokens': [
    expect.stringMatching(/^analytics:read, setup:read until \d{4}-/),
    'needs teams:read',
    expect.stringMatching(/^\d+ dimensions$/),
  ],
  'Retries and timeouts': [],
  Pagination: ['robin@example.com'],
  'Pagination 2': ['0 teams', '0 teams at most'],
  'Hooks and debugging': ['/health/ready: 200'],
  'Hooks and debugging 2': [expect.stringMatching(/^GET \/health\/ready #1: 200, \d+ ms$/)],
  'Another way to the server': [],
  Traces: [],
  'Persisted queries': ['3 teams'],
  'Your queries': ['At most 365 days'],
  Refusals: [expect.stringMatching(/^max_days: at most 365, and not \d+$/)],
  Testing: ['200, then 401', '0 teams', 'getMe, getMe, listTeams'],
};

describe('The README of the SDK', () => {
  it('has no block that is not run here', () => {
    const special = [
      'Tokens and refresh',
      'Receive an event',
      'Rotate the secret',
      'Repeated and late events',
      'Poll a run',
      'Watch a run',
    ];
    const compose = ['Connect', 'Connect 2', 'Streams', 'Streams 2', 'Problems'];
    expect([...blocks.keys()].sort()).toEqual([...Object.keys(shown), ...special, ...compose].sort());
  });

  it.each(Object.entries(shown))('%s', async (name, lines) => {
    expect(await run(name)).toEqual(lines);
  });

  it('Tokens and refresh', async () => {
    const stored = new Map([
      ['plumbline', JSON.stringify({ access_token: owner.accessToken, refresh_token: owner.refreshToken })],
    ]);
    const sessionStorage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => stored.set(key, text),
      removeItem: (key: string) => stored.delete(key),
    };
    const location = { origin: platform.url };
    expect(await run('Tokens and refresh', { sessionStorage, location })).toEqual(['You are logged out.']);
    expect(stored.size).toBe(0);
  });

  it('Receive an event', async () => {
    const secret = /whsec_[\w=]+/.exec(textOf('Receive an event'))?.[0] ?? '';
    const id = '9f4a5b6c-7d8e-4f90-9ba2-3c4d5e6f7013';
    const data = { sync_run_id: id, sync_config_id: id, status: 'complete', error: null };
    const event = { type: 'sync_run.finished', id, org_id: id, occurred_at: '2026-03-02T09:15:00.000Z', data };
    const body = JSON.stringify(event);
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    const text = `${textOf('Receive an event')}\nawait receive(headers, body);`;
    expect(await runBlock(text, {}, { headers, body })).toEqual([`The run ${id} ended: complete`]);
  });

  it('Rotate the secret', async () => {
    const [, previous = ''] = [...textOf('Rotate the secret').matchAll(/whsec_[\w=]+/g)].map(String);
    const id = '9f4a5b6c-7d8e-4f90-9ba2-3c4d5e6f7013';
    const common = { id, org_id: id, occurred_at: '2026-03-02T09:15:00.000Z' };
    const accepted = { ...common, type: 'invite.accepted', data: { invite_id: id, user_id: id } };
    const requestOf = (event: object, key: string): Request => {
      const body = JSON.stringify(event);
      const now = new Date();
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(key).sign(id, now, body),
      };
      return new Request(host, { method: 'POST', headers, body });
    };
    const forged = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const requests = [
      requestOf(accepted, previous),
      requestOf({ ...common, type: 'newer.event', data: {} }, previous),
      requestOf(accepted, forged),
    ];
    const text = `${textOf('Rotate the secret')}\nfor (const each of requests) show(String(await statusFor(each)));`;
    expect(await runBlock(text, {}, { requests })).toEqual(['Received invite.accepted', '204', '204', '400']);
  });

  it('Repeated and late events', async () => {
    const secret = /whsec_[\w=]+/.exec(textOf('Repeated and late events'))?.[0] ?? '';
    const config = '7d2e3f4a-5b6c-4d7e-9f80-1a2b3c4d5e11';
    const delivery = (number: number, time: string, status: string): { headers: object; body: string } => {
      const id = `9f4a5b6c-7d8e-4f90-9ba2-3c4d5e6f701${number}`;
      const data = { sync_run_id: id, sync_config_id: config, status, error: null };
      const body = JSON.stringify({ type: 'sync_run.finished', id, org_id: config, occurred_at: time, data });
      const now = new Date();
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, now, body),
      };
      return { headers, body };
    };
    const second = delivery(2, '2026-03-02T09:20:00.000Z', 'partial');
    const first = delivery(1, '2026-03-02T09:15:00.000Z', 'failed');
    const third = delivery(3, '2026-03-02T09:25:00.000Z', 'complete');
    const deliveries = [second, second, first, third];
    const text = `${textOf('Repeated and late events')}\nfor (const { headers, body } of deliveries) await receiveOnce(headers, body);`;
    expect(await runBlock(text, {}, { deliveries })).toEqual([
      'The latest run ended: partial',
      'The latest run ended: complete',
    ]);
  });

  it('Watch a run', async () => {
    const fake = createFakePlatform();
    const watching = createPlatformClient({ baseUrl: host, fetch: fake.fetch, token: 'any' });
    const lines = await run('Watch a run', { client: watching, configId: 'c', runId: 'r' });
    expect(lines).toEqual(['running: 18230 records']);
    expect(fake.calls.map(({ operation }) => operation)).toEqual(['watchSyncRun', 'watchSyncRun']);
  });

  it('Poll a run', async () => {
    const fake = createFakePlatform();
    const watching = createPlatformClient({ baseUrl: host, fetch: fake.fetch, token: 'any' });
    const example = unwrap(await getSyncRun(watching, { params: { sync_config_id: 'c', run_id: 'r' } }));
    fake.reply('getSyncRun', 200, { body: { ...example, status: 'complete' } });
    const lines = await run('Poll a run', { client: watching, configId: 'c' });
    expect(lines).toEqual([`complete: ${example.progress.records} records`]);
  });
});

const missing = missingOpenssl();
const reason = missing === null ? '' : ` (${missing})`;
describe.skipIf(missing !== null)(`The README of the SDK, containers${reason}`, () => {
  let certificates: Certificates;
  beforeAll(async () => {
    certificates = await createCertificates();
  });
  afterAll(() => certificates.remove());

  async function withService<Result>(
    listen: NonNullable<Parameters<typeof runService>[0]>['listen'] & object,
    use: (service: RunningService) => Promise<Result>,
  ): Promise<Result> {
    const service = await runService({ images: ['registry.example/shop/web:2'], listen });
    try {
      return await use(service);
    } finally {
      await service.stop();
    }
  }

  it('Connect', async () => {
    const path = `${certificates.folder}/compose.sock`;
    const lines = await withService({ address: { scheme: 'unix', path } }, () =>
      runBlock(textOf('Connect'), { 'unix:///run/plumbline.sock': `unix://${path}` }, {}),
    );
    expect(lines).toEqual(['shop-web is running']);
  });

  it.each(['Robin', 'a stranger'])('Connect 2: %s', async (who) => {
    const authority = certificates.authority('Ours');
    const { certFile: cert, keyFile: key } = certificates.issue(authority, 'server');
    const signed = certificates.issue(authority, 'robin');
    const files: Readonly<Record<string, string>> = {
      'ca.pem': authority.cert,
      'client.pem': signed.cert,
      'client-key.pem': signed.key,
    };
    const address = { scheme: 'tls', host: '127.0.0.1', port: 0 } as const;
    const known = who === 'Robin' ? signed : certificates.issue(authority, 'another');
    const authStore = `${certificates.folder}/${who}.json`;
    await addClient(authStore, { name: 'Known', certificate: Buffer.from(known.cert) }, systemClock);
    const lines = await withService({ address, cert, key, clientCa: authority.certFile, authStore }, ({ url }) =>
      runBlock(
        textOf('Connect 2'),
        { 'tls://compose.example.com:8443': url.replace('https:', 'tls:') },
        { 'node:fs': { readFileSync: (name: string) => files[name] } },
      ),
    );
    expect(lines).toEqual(who === 'Robin' ? [] : ['The server does not know this certificate.']);
  });

  it('Streams and Problems', async () => {
    const fake = createFakeCompose();
    const compose = createComposeClient({ address: 'tcp://127.0.0.1:1', fetch: fake.fetch });
    const line = { stream: 'stdout', time: '2026-03-02T09:15:02.000000000Z', line: 'ready' } as const;
    fake.reply('getContainerLogs', 200, { body: line });
    expect(await runBlock(textOf('Streams'), {}, { compose })).toEqual([`${line.time} stdout ready`]);
    fake.reply('watchProjectLogs', 200, { body: { ...line, service: 'web', container: 'shop-web' }, times: 1 });
    expect(await runBlock(textOf('Streams 2'), {}, { compose })).toEqual(['shop-web: ready']);
    fake.reply('startContainer', 404);
    expect(await runBlock(textOf('Problems'), {}, { compose })).toEqual([expect.stringMatching(/^There is no /)]);
  });
});

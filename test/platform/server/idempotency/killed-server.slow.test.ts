import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createInvite,
  createPlatformClient,
  createTeam,
  listTeams,
  type PlatformClient,
} from '../../../../sdk/src/platform.js';
import { systemTiming } from '../../../../sdk/src/retry.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { freePort } from '../../../support/free-port.js';
import { startCommitProxy, type CommitProxy } from './commit-proxy.js';

const script = fileURLToPath(new URL('../../messages/mail/serve.ts', import.meta.url));
let platform: TestPlatform;
let owner: TestUser;
let proxy: CommitProxy;
let port: number;
let server: ChildProcess;

beforeEach(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  proxy = await startCommitProxy(platform.databaseUri);
  port = await freePort();
  server = await startServer();
});
afterEach(async () => {
  server.kill('SIGKILL');
  proxy.close();
  await platform.stop();
});

async function startServer(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script], {
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URI: proxy.uri,
      MAIL_URL: platform.mailbox.url,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), // that of the test platform, which signed the access token
      SYNC_JOBS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data'); // the script prints its address and nothing else
  return child;
}

/** Kills the server, and starts it again before the client's next attempt. */
function clientOfKilledServer(): { client: PlatformClient; attempts: () => number } {
  let attempts = 0;
  const client = createPlatformClient({
    baseUrl: `http://127.0.0.1:${port}`,
    fetch: (url, init) => {
      attempts += 1;
      return fetch(url, init);
    },
    timing: {
      ...systemTiming,
      sleep: async () => {
        server = await startServer();
      },
    },
  });
  return { client, attempts: () => attempts };
}

const invites = (): Promise<readonly unknown[]> => platform.database.sql`select id, email from invites`;

it('A client receives the reply of a server that was killed between the commit and the reply', async () => {
  const { client, attempts } = clientOfKilledServer();
  await client.tokens.set({ access_token: owner.accessToken });
  const body = { email: 'sam@example.com', role: 'member' } as const;

  const held = proxy.holdNextCommit();
  const call = createInvite(client, { params: { org_id: owner.orgId }, body });
  await held;
  expect(await invites()).toMatchObject([{ email: body.email }]);
  server.kill('SIGKILL');

  const result = await call;
  expect(attempts()).toBe(2);
  expect(result).toMatchObject({ ok: true, status: 201 });
  expect(result.headers.get('Idempotency-Replayed')).toBe('true');
  expect(await invites()).toEqual([{ id: result.data?.id, email: body.email }]);
  await platform.lastMail(body.email);
  expect(platform.mailbox.to(body.email)).toHaveLength(1);
});

it('A client repeats a request whose server was killed before the commit', async () => {
  const { client, attempts } = clientOfKilledServer();
  await client.tokens.set({ access_token: owner.accessToken });
  const body = { email: 'kim@example.com', role: 'member' } as const;

  const call = await platform.database.sql.begin(async (transaction) => {
    await transaction`lock table idempotency_keys in share row exclusive mode`;
    const sent = createInvite(client, { params: { org_id: owner.orgId }, body });
    // The server's sweep of expired replies may wait for the table as well. A transaction sees one state of activities.
    const waits = async (): Promise<number> => {
      const waiting = await platform.database.sql`
        select from pg_locks join pg_stat_activity using (pid)
        where not granted and relation = 'idempotency_keys'::regclass and query like '%insert into idempotency_keys%'`;
      return waiting.length;
    };
    await expect.poll(waits, { timeout: 20_000 }).toBe(1);
    server.kill('SIGKILL');
    return { sent };
  });

  const result = await call.sent;
  expect(attempts()).toBe(2);
  expect(result).toMatchObject({ ok: true, status: 201 });
  expect(result.headers.has('Idempotency-Replayed')).toBe(false);
  expect(await invites()).toEqual([{ id: result.data?.id, email: body.email }]);
});

it('A client repeats a request whose server was killed between writing a team and storing the reply', async () => {
  const { client, attempts } = clientOfKilledServer();
  await client.tokens.set({ access_token: owner.accessToken });
  const { orgId } = owner;
  const body = { id: 'payments', name: 'Payments', members: ['ada@example.com'], repositories: ['acme/pay-*'] };
  const { sql } = platform.database;
  await sql`
    create function hold_reply() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(7); return new; end $$`;
  await sql`
    create trigger hold_reply before insert on idempotency_keys
    for each row when (octet_length(new.sealed_reply) > 0) execute function hold_reply()`;

  const call = await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(7)`;
    const sent = createTeam(client, { params: { org_id: orgId }, body });
    const waits = async (): Promise<number> =>
      (await transaction`select from pg_locks where not granted and locktype = 'advisory' and objid = 7`).length;
    await expect.poll(waits, { timeout: 20_000 }).toBe(1);
    server.kill('SIGKILL');
    return { sent };
  });

  expect(await call.sent).toMatchObject({ ok: true, status: 201, data: body });
  expect(attempts()).toBe(2);
  expect(await listTeams(client, { params: { org_id: orgId } })).toMatchObject({ data: { items: [body] } });
  const audited = await sql`select action, resource_id from audit_log where resource_kind = 'TEAM'`;
  expect(audited).toEqual([{ action: 'CREATE', resource_id: body.id }]);
  expect(await sql`select kind from store_tasks where org_id = ${orgId}`).toEqual([{ kind: 'assign_teams' }]);
});

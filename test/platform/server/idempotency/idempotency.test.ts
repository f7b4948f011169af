import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { routes } from '../../../../generated/platform/routes.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';
import { createServiceToken } from '../../../support/service-token.js';
import { exampleDefinition } from '../../figures/views/definition.js';
import { creations, sendKeyed } from './creations.js';

let database: TestDatabase;
let platform: TestPlatform;
let admin: TestUser;
/** Another connection to the database. */
let other: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  platform = await startTestPlatform({ databaseUri: database.uri });
  admin = await platform.signUp();
  other = postgres(database.uri, { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  await other.end();
  await platform.stop();
  await database.drop();
});

const isReplayed = ({ headers }: JsonReply): boolean => headers.get('Idempotency-Replayed') === 'true';
const audited = async (): Promise<number> => (await platform.database.sql`select 1 from audit_log`).length;

/** Runs `work` while no request can store its reply: it waits before its commit. */
async function whileReplyWaits(first: () => Promise<JsonReply>, work: () => Promise<void>): Promise<JsonReply> {
  const { reply } = await other.begin(async (transaction) => {
    await transaction`lock table idempotency_keys in share row exclusive mode`;
    const sent = first();
    const waits = async (): Promise<boolean> =>
      (await transaction`select from pg_locks where not granted and relation = 'idempotency_keys'::regclass`).length >
      0;
    await vi.waitUntil(waits, { timeout: 20_000, interval: 20 });
    await work();
    return { reply: sent };
  });
  return reply;
}

test('Every operation that takes a key is tried here', () => {
  const keyed = routes.filter((each) => each.isIdempotent).map(({ operationId }) => operationId);
  expect(Object.keys(creations).sort()).toEqual(keyed.sort());
});

describe.each(Object.entries(creations))('%s with a key', (_operationId, create) => {
  it('takes effect once, and answers a repetition with the first reply', async () => {
    const [request, key] = [await create(platform, admin), randomUUID()];
    const first = await sendKeyed(platform, request, key);
    expect(first.status).toBeLessThan(300);
    expect(isReplayed(first)).toBe(false);
    const records = await audited();

    const second = await sendKeyed(platform, request, key);
    expect(isReplayed(second)).toBe(true);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
    expect(await audited()).toBe(records);

    if (request.other === null) return;
    const reused = await sendKeyed(platform, { ...request, ...request.other }, key);
    expect([reused.status, reused.body.type]).toEqual([422, '/problems/idempotency-key-reused']);
    expect(await audited()).toBe(records);
  });

  it('is refused while the first request is being handled', async () => {
    const [request, key] = [await create(platform, admin), randomUUID()];
    const first = await whileReplyWaits(
      () => sendKeyed(platform, request, key),
      async () => {
        const second = await sendKeyed(platform, request, key);
        expect([second.status, second.body.type]).toEqual([409, '/problems/idempotency-key-in-use']);
        expect(second.headers.get('Retry-After')).toBe('1');
      },
    );
    expect(first.status).toBeLessThan(300);
    const third = await sendKeyed(platform, request, key);
    expect([isReplayed(third), third.body]).toEqual([true, first.body]);
  });

  it('refuses a key that is none', async () => {
    const reply = await sendKeyed(platform, await create(platform, admin), 'two words');
    expect([reply.status, reply.body.violations[0]?.path]).toEqual([422, '/header/idempotency-key']);
  });
});

test.each(['acceptInvite', 'acceptMyInvite', 'onboard'])(
  '%s is repeated with its new access token, or the old one',
  async (operation) => {
    const create = creations[operation];
    if (create === undefined) throw new Error(operation);
    const [request, key] = [await create(platform, admin), randomUUID()];
    const first = await sendKeyed(platform, request, key);
    for (const token of [String(first.body.tokens.access_token), request.token]) {
      const repeated = await sendKeyed(platform, { ...request, token }, key);
      expect([repeated.status, isReplayed(repeated), repeated.body]).toEqual([200, true, first.body]);
    }
  },
);

test('Of 50 simultaneous requests with one key, one takes effect', async () => {
  const email = `${randomUUID()}@example.com`;
  const path = `/api/v1/organizations/${admin.orgId}/invites`;
  const request = { path, token: admin.accessToken, body: { email, role: 'member' } };
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 50 }, () => sendKeyed(platform, request, key)));
  const created = replies.filter(({ status }) => status === 201);
  const waiting = replies.filter(({ body }) => body.type === '/problems/idempotency-key-in-use');
  expect(created.length + waiting.length).toBe(50);
  expect(created.filter((each) => !isReplayed(each))).toHaveLength(1);
  expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
  await platform.lastMail(email);
  expect(platform.mailbox.to(email)).toHaveLength(1);
});

test('Requests of one organization that wait for its lock do not keep those of others waiting', async () => {
  const stranger = await platform.signUp();
  const path = `/api/v1/organizations/${admin.orgId}/service-tokens`;
  const request = { path, token: admin.accessToken };
  const body = (): object => ({ name: randomUUID(), scopes: ['views:read'], expires_in_days: 1 });
  const flood = await other.begin(async (transaction) => {
    await transaction`select from organizations where id = ${admin.orgId} for update`;
    const sent = Array.from({ length: 20 }, () => sendKeyed(platform, { ...request, body: body() }, randomUUID()));
    const waiting = (): boolean => platform.database.transactions().waiting > 0;
    await vi.waitUntil(waiting, { timeout: 20_000, interval: 20 });
    expect((await save(stranger, view(), randomUUID())).status).toBe(201);
    return { sent };
  });
  await Promise.all(flood.sent);
});

const view = (name = randomUUID()): object => ({ name, definition: exampleDefinition });
const save = (user: Pick<TestUser, 'orgId' | 'accessToken'>, body: object, key: string): Promise<JsonReply> =>
  sendKeyed(platform, { path: `/api/v1/organizations/${user.orgId}/views`, token: user.accessToken, body }, key);
const viewsOf = async ({ orgId }: TestUser): Promise<number> =>
  (await platform.database.sql`select 1 from saved_views where org_id = ${orgId}`).length;

describe('A key', () => {
  it('belongs to one user', async () => {
    const member = await platform.signUp({ invitedBy: admin });
    const key = randomUUID();
    const replies = [await save(admin, view(), key), await save(member, view(), key)];
    expect(replies.map((each) => [each.status, isReplayed(each)])).toEqual([
      [201, false],
      [201, false],
    ]);
  });

  it('belongs to one service token, and not to the user who created it', async () => {
    const tokens = [
      await createServiceToken(platform, admin, ['views:write'], { name: randomUUID() }),
      await createServiceToken(platform, admin, ['views:write'], { name: randomUUID() }),
    ];
    const key = randomUUID();
    const callers = [admin.accessToken, ...tokens.map(({ token }) => token)];
    for (const accessToken of callers) {
      const body = view();
      const caller = { orgId: admin.orgId, accessToken };
      expect(isReplayed(await save(caller, body, key))).toBe(false);
      expect(isReplayed(await save(caller, body, key))).toBe(true);
    }
  });

  it('belongs to one organization', async () => {
    const owner = await platform.signUp();
    const { email } = admin;
    const invites = `/api/v1/organizations/${owner.orgId}/invites`;
    await platform.json('POST', invites, { token: owner.accessToken, body: { email, role: 'member' } });
    const { token } = await platform.lastMail(email);
    const credentials = { email, password: admin.password };
    const login = await platform.json('POST', '/api/v1/auth/login', { body: credentials });
    const accept = { token: String(login.body.access_token), body: { token } };
    const joined = await platform.json('POST', '/api/v1/auth/accept-invite', accept);
    const elsewhere = { orgId: owner.orgId, accessToken: String(joined.body.tokens.access_token) };
    const [key, body] = [randomUUID(), view()];
    expect((await save(admin, body, key)).status).toBe(201);
    const reply = await save(elsewhere, body, key);
    expect([reply.status, isReplayed(reply)]).toEqual([201, false]);
  });

  it('belongs to one operation', async () => {
    const key = randomUUID();
    expect((await save(admin, view(), key)).status).toBe(201);
    const path = '/api/v1/admin/sync-configs';
    const body = { name: randomUUID(), provider: 'synthetic', targets: ['git'], repositories: ['*'] };
    expect((await sendKeyed(platform, { path, token: admin.accessToken, body }, key)).status).toBe(201);
  });

  it('is the same with and without quotes', async () => {
    const [key, body] = [randomUUID(), view()];
    expect((await save(admin, body, `"${key}"`)).status).toBe(201);
    expect(isReplayed(await save(admin, body, key))).toBe(true);
  });

  it('may have 255 characters, and escaped ones in quotes', async () => {
    const keys = ['k'.repeat(255), `"${'\\"'.repeat(255)}"`, String.raw`"a \"b\" \\"`];
    for (const key of keys) expect([key, (await save(admin, view(), key)).status]).toEqual([key, 201]);
  });

  it.each(['k'.repeat(256), `"${'k'.repeat(256)}"`, '""', '"open', 'a"b', '"a"b"', 'a, b', '"a";b', 'ä', 'a\\b'])(
    'is not %s',
    async (key) => {
      const reply = await save(admin, view(), key);
      expect([reply.status, reply.body.type]).toEqual([422, '/problems/validation-failed']);
    },
  );

  it('does not depend on the order of properties', async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    expect((await save(admin, { name, definition: exampleDefinition }, key)).status).toBe(201);
    const reversed = Object.fromEntries(Object.entries(exampleDefinition).reverse());
    expect(isReplayed(await save(admin, { definition: reversed, name }, key))).toBe(true);
  });

  it('does not depend on the case of an id in the path', async () => {
    const [key, body] = [randomUUID(), view()];
    const first = await save(admin, body, key);
    const second = await save({ ...admin, orgId: admin.orgId.toUpperCase() }, body, key);
    expect([second.status, isReplayed(second), second.body]).toEqual([201, true, first.body]);
  });

  it('is not needed', async () => {
    const stored = platform.database.sql`select 1 from idempotency_keys`;
    const before = (await stored).length;
    const path = `/api/v1/organizations/${admin.orgId}/views`;
    const reply = await platform.json('POST', path, { token: admin.accessToken, body: view() });
    expect(reply.status).toBe(201);
    expect(await platform.database.sql`select 1 from idempotency_keys`).toHaveLength(before);
  });
});

describe('A reply', () => {
  it('is kept for 24 hours', async () => {
    const owner = await platform.signUp();
    const { token } = await createServiceToken(platform, owner, ['views:write']);
    const caller = { orgId: owner.orgId, accessToken: token };
    const [key, body] = [randomUUID(), view()];
    const first = await save(caller, body, key);
    platform.clock.advance(86_399);
    expect(isReplayed(await save(caller, body, key))).toBe(true);
    platform.clock.advance(1);
    const reply = await save(caller, body, key);
    expect([reply.status, reply.body.violations[0]?.path]).toEqual([422, '/body/name']);
    await platform.database.sql`delete from saved_views where id = ${first.body.id}`;
    expect(isReplayed(await save(caller, body, key))).toBe(false);
    expect(isReplayed(await save(caller, body, key))).toBe(true);
    platform.clock.advance(-86_400);
  });

  it('is deleted after 24 hours, without a command', async () => {
    const owner = await platform.signUp();
    const expired = async (): Promise<number> =>
      (await platform.database.sql`select 1 from idempotency_keys where expires_at <= ${platform.clock.now()}`).length;
    const [key, body] = [randomUUID(), view()];
    await save(owner, body, key);
    await platform.running.retention.drain();
    expect(isReplayed(await save(owner, body, key))).toBe(true);
    platform.clock.advance(86_400);
    const before = await expired();
    await platform.running.retention.drain();
    const after = await expired();
    platform.clock.advance(-86_400);
    expect(before).toBeGreaterThan(0);
    expect(after).toBe(0);
  });

  it('is not stored if it is a refusal, because its reason may pass', async () => {
    const owner = await platform.signUp();
    const [key, name] = [randomUUID(), randomUUID()];
    const taken = await save(owner, view(name), randomUUID());
    expect((await save(owner, view(name), key)).status).toBe(422);
    await platform.database.sql`delete from saved_views where id = ${taken.body.id}`;
    const reply = await save(owner, view(name), key);
    expect([reply.status, isReplayed(reply)]).toEqual([201, false]);
  });

  it.each(['saved_views', 'idempotency_keys'])('is not stored if the server fails at %s', async (table) => {
    const owner = await platform.signUp();
    const [key, body] = [randomUUID(), view()];
    await other.unsafe(`
      create function fail() returns trigger language plpgsql as $$begin raise 'broken'; end$$;
      create trigger fail after insert on ${table} for each row execute function fail()`);
    expect((await save(owner, body, key)).status).toBe(500);
    await other.unsafe('drop function fail cascade');
    expect(await viewsOf(owner)).toBe(0);
    const reply = await save(owner, body, key);
    expect([reply.status, isReplayed(reply)]).toEqual([201, false]);
    expect(await viewsOf(owner)).toBe(1);
  });

  it('is encrypted, because it may contain a secret', async () => {
    const path = `/api/v1/organizations/${admin.orgId}/service-tokens`;
    const body = { name: randomUUID(), scopes: ['views:read'], expires_in_days: 9 };
    const request = { path, token: admin.accessToken, body };
    const key = randomUUID();
    const created = await sendKeyed(platform, request, key);
    const rows = await platform.database.sql<{ text: string }[]>`
      select encode(sealed_reply, 'escape') as text from idempotency_keys`;
    expect(rows.length).toBeGreaterThan(0);
    const secret = String(created.body.token);
    expect(rows.filter(({ text }) => text.includes(secret) || text.includes('service_token'))).toEqual([]);
    expect((await sendKeyed(platform, request, key)).body.token).toBe(secret);
    expect(platform.logLines.filter((line) => line.includes(secret) || line.includes(key))).toEqual([]);
  });

  it('of another key does not open', async () => {
    const [key, another, body] = [randomUUID(), randomUUID(), view()];
    await platform.database.sql`delete from idempotency_keys`;
    await save(admin, body, key);
    const [row] = await platform.database.sql<{ sealed_reply: Buffer }[]>`select sealed_reply from idempotency_keys`;
    await save(admin, view(), another);
    await platform.database.sql`update idempotency_keys set sealed_reply = ${row?.sealed_reply ?? ''}`;
    const replies = [await save(admin, body, key), await save(admin, body, another)];
    expect(replies.map(({ status }) => status)).toEqual([201, 500]);
  });

  it('is not shown to a caller who has lost the right to it', async () => {
    const member = await platform.signUp({ invitedBy: admin });
    const [key, body] = [randomUUID(), view()];
    expect((await save(member, body, key)).status).toBe(201);
    const path = `/api/v1/organizations/${admin.orgId}/members/${member.userId}`;
    await platform.json('PATCH', path, { token: admin.accessToken, body: { role: 'viewer' } });
    expect((await save(member, body, key)).status).toBe(403);
    await platform.json('DELETE', path, { token: admin.accessToken });
    expect((await save(member, body, key)).status).toBe(401);
  });
});

test('A mail is sent once the reply is stored, not before', async () => {
  const email = `${randomUUID()}@example.com`;
  const path = `/api/v1/organizations/${admin.orgId}/invites`;
  const request = { path, token: admin.accessToken, body: { email, role: 'member' } };
  await whileReplyWaits(
    () => sendKeyed(platform, request, randomUUID()),
    async () => {
      await platform.running.mails.drain();
      expect(platform.mailbox.to(email)).toEqual([]);
    },
  );
  await vi.waitUntil(() => platform.mailbox.to(email).length === 1, { timeout: 20_000, interval: 20 });
});

describe('A team whose reply could not be stored', () => {
  const team = { id: 'payments', name: 'Payments', members: ['ada@example.com'], repositories: ['acme/pay-*'] };
  let key: string;
  /** An organization whose owner has created the team with the key, and got an error. */
  let owner: TestUser;
  beforeEach(async () => {
    [key, owner] = [randomUUID(), await platform.signUp()];
    await other`
      create function refuse_reply() returns trigger language plpgsql as $$ begin raise 'no reply'; end $$`;
    await other`
      create trigger refuse_reply before insert on idempotency_keys
      for each row when (octet_length(new.sealed_reply) > 0) execute function refuse_reply()`;
    try {
      expect((await create()).status).toBe(500);
    } finally {
      await other`drop function refuse_reply cascade`;
    }
    expect(await teams()).toEqual([team]);
    expect(await changes()).toEqual([]);
  });

  const path = (): string => `/api/v1/organizations/${owner.orgId}/teams`;
  const create = (by = owner, body: object = team, usedKey = key): Promise<JsonReply> =>
    sendKeyed(platform, { path: path(), token: by.accessToken, body }, usedKey);
  const teams = async (): Promise<unknown> =>
    (await platform.json('GET', path(), { token: owner.accessToken })).body.items;
  const changes = async (): Promise<readonly unknown[]> =>
    platform.database.sql`
      select action, user_id from audit_log where org_id = ${owner.orgId} and resource_kind = 'TEAM' order by at`;

  it('is confirmed to the repetition, with audit record, assignment and reply', async () => {
    const repeated = await create();
    expect([repeated.status, repeated.body, isReplayed(repeated)]).toEqual([201, team, false]);
    expect(await teams()).toEqual([team]);
    expect(await changes()).toEqual([{ action: 'CREATE', user_id: owner.userId }]);
    const tasks = await platform.database.sql`select kind from store_tasks where org_id = ${owner.orgId}`;
    expect(tasks).toEqual([{ kind: 'assign_teams' }]);
    const replayed = await create();
    expect([replayed.status, isReplayed(replayed)]).toEqual([201, true]);
  });

  it('is confirmed to no other key, request or caller', async () => {
    const colleague = await platform.signUp({ invitedBy: owner, role: 'admin' });
    for (const reply of [
      await create(owner, team, randomUUID()),
      await create(owner, { ...team, name: 'Billing' }),
      await create(colleague),
    ]) {
      expect([reply.status, reply.body.type]).toEqual([409, '/problems/team-exists']);
    }
    expect(await changes()).toEqual([]);
  });

  it('is not confirmed when somebody else has removed it and created an equal one', async () => {
    const colleague = await platform.signUp({ invitedBy: owner, role: 'admin' });
    await platform.json('DELETE', `${path()}/payments`, { token: colleague.accessToken });
    expect((await create(colleague)).status).toBe(201);
    expect((await create()).body.type).toBe('/problems/team-exists');
  });

  it('is not confirmed after the 24 hours of the key', async () => {
    await platform.database.sql`update idempotency_keys set expires_at = now() - interval '1 second'`;
    expect((await create()).body.type).toBe('/problems/team-exists');
  });
});

test('A refused team is not confirmed to a repetition', async () => {
  const owner = await platform.signUp();
  const path = `/api/v1/organizations/${owner.orgId}/teams`;
  const body = { id: 'payments', name: 'Payments', members: ['ada'], repositories: [] };
  expect((await platform.json('POST', path, { token: owner.accessToken, body })).status).toBe(201);
  const key = randomUUID();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect((await sendKeyed(platform, { path, token: owner.accessToken, body }, key)).status).toBe(409);
  }
});

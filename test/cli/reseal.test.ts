import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reseal, SEALED_COLUMNS } from '../../src/cli/reseal.js';
import { openDatabase } from '../../src/database/connection.js';
import { createSecretBox } from '../../src/platform/server/secrets/secret-box.js';
import { enroll, logIn, problem, verify } from '../platform/identity/mfa/requests.js';
import { captureLog } from '../support/captured-log.js';
import { startTestPlatform, type TestPlatform } from '../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const keys = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2), other: Buffer.alloc(32, 3) };
type Key = keyof typeof keys;

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.uri, { max: 1 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** A server of the database. @param previous the key that it has in addition */
const serve = (key: Key, previous?: Key, clock?: TestPlatform['clock']): Promise<TestPlatform> =>
  startTestPlatform({
    databaseUri: database.uri,
    ...(clock !== undefined && { clock }),
    environment: {
      SECRETS_KEY: keys[key].toString('base64'),
      AUTH_REFRESH_REUSE_GRACE: '60',
      ...(previous !== undefined && { SECRETS_KEY_PREVIOUS: keys[previous].toString('base64') }),
    },
  });

/** The columns with values, each with how many are sealed with one key. */
async function sealedWith(key: Key): Promise<ReadonlyMap<string, number>> {
  const box = createSecretBox(keys[key]);
  const counts = new Map<string, number>();
  for (const { table, column, owner, context } of SEALED_COLUMNS) {
    const rows = await sql`select ${sql(owner)} as owner, ${sql(column)} as sealed from ${sql(table)}`;
    for (const { owner: named, sealed } of rows) {
      if (sealed === null) continue;
      try {
        box.open(sealed as Buffer, context(Buffer.isBuffer(named) ? named.toString('hex') : String(named)));
        counts.set(`${table}.${column}`, (counts.get(`${table}.${column}`) ?? 0) + 1);
      } catch {
        // Another key has sealed it.
      }
    }
  }
  return counts;
}

it('knows every column with sealed values', async () => {
  const rows = await sql`
    select c.table_name, c.column_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name like '%sealed%'
    order by 1, 2`;
  const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
  expect(known).toEqual(rows.map((row) => `${row['table_name']}.${row['column_name']}`));
});

describe('a new key', () => {
  it('is introduced while a server runs, and everything that the old one sealed is sealed with it', async () => {
    const before = await serve('old');
    const { clock } = before;
    const enrolled = await enroll(before);
    const token = await enrolled.enter();
    const { orgId } = enrolled.user;
    const webhooks = `/api/v1/organizations/${orgId}/webhooks`;
    const body = { url: 'https://example.com/hook', events: ['member.joined'] };
    const headers = { 'Idempotency-Key': 'a-key-of-this-test' };
    const webhook = await before.json('POST', webhooks, { token, body, headers });
    expect(webhook.status).toBe(201);
    for (let times = 0; times < 2; times++) {
      const rotate = `${webhooks}/${String(Object(webhook.body.webhook).id)}/rotate-secret`;
      expect(await before.json('POST', rotate, { token, body: { overlap_seconds: 600 } })).toMatchObject({
        status: 200,
      });
    }
    const second = await before.signUp();
    const refresh = { refresh_token: second.refreshToken };
    const refreshed = await before.json('POST', '/api/v1/auth/refresh', { body: refresh });
    expect(refreshed.status).toBe(200);
    await before.stop();

    const stored = await sealedWith('old');
    expect([...stored.keys()]).toEqual(
      expect.arrayContaining([
        'signing_keys.private_jwk_sealed',
        'refresh_tokens.successor_sealed',
        'totp_secrets.secret_sealed',
        'webhooks.sealed_secret',
        'webhooks.previous_sealed_secret',
        'webhook_earlier_secrets.sealed_secret',
        'idempotency_keys.sealed_reply',
      ]),
    );

    await expect(serve('new')).rejects.toThrow('SECRETS_KEY is not the key that sealed the secrets in this database');
    await expect(serve('new', 'other')).rejects.toThrow('SECRETS_KEY_PREVIOUS');
    const between = await serve('new', 'old', clock);
    expect((await between.json('GET', '/api/v1/auth/me', { token })).status).toBe(200);
    // A refresh whose answer was lost can be repeated, and a repeated request has its first reply.
    expect((await between.json('POST', '/api/v1/auth/refresh', { body: refresh })).status).toBe(200);
    const late = await enroll(between);
    expect(await late.enter()).not.toBe('');
    expect((await between.json('POST', webhooks, { token, body, headers })).body).toEqual(webhook.body);

    const { log } = captureLog();
    const open = openDatabase(database.uri, { logger: log });
    const box = createSecretBox(keys.new, keys.old);
    const count = [...(await sealedWith('old')).values()].reduce((sum, each) => sum + each, 0);
    expect(await reseal(open.sql, box)).toEqual({ resealed: count, unreadable: [] });
    expect(await reseal(open.sql, box)).toEqual({ resealed: 0, unreadable: [] });
    await open.close();
    expect(await sealedWith('old')).toEqual(new Map());
    for (const [column, earlier] of stored)
      expect((await sealedWith('new')).get(column)).toBeGreaterThanOrEqual(earlier);
    await between.stop();

    await expect(serve('old')).rejects.toThrow('SECRETS_KEY is not the key');
    const after = await serve('new', undefined, clock);
    expect((await after.json('GET', '/api/v1/auth/me', { token })).status).toBe(200);
    const { body: login } = await logIn(after, enrolled.user);
    const entered = await verify(after, { mfa_token: login.mfa_token, code: enrolled.nextCode() });
    expect(entered.status).toBe(200);
    expect((await after.json('POST', webhooks, { token, body, headers })).body).toEqual(webhook.body);
    expect(problem(await after.json('POST', '/api/v1/auth/refresh', { body: { refresh_token: 'none' } }))).toMatch(
      /^401 /,
    );
    await after.stop();
  });

  it('is not taken as that of the database while neither key opens a value', async () => {
    const { log } = captureLog();
    const open = openDatabase(database.uri, { logger: log });
    await sql`update signing_keys set private_jwk_sealed = ${createSecretBox(keys.other).seal('{}', 'elsewhere')}`;
    const rows = await sql`select count(*)::int as count from signing_keys`;
    const result = await reseal(open.sql, createSecretBox(keys.old, keys.new));
    expect(result.unreadable).toEqual([`${String(rows[0]?.['count'])} of signing_keys.private_jwk_sealed`]);
    const [stored] = await sql`select value from server_settings where name = 'secrets_key_fingerprint'`;
    expect(stored?.['value']).toBe(createSecretBox(keys.new).fingerprint);
    // An interrupted change of keys is completed: here, back to the key before.
    expect((await reseal(open.sql, createSecretBox(keys.new, keys.old))).resealed).toBe(result.resealed);
    await open.close();
  });
});

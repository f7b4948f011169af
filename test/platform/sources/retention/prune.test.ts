import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../../../src/database/connection.js';
import { prune } from '../../../../src/platform/sources/retention/prune.js';
import { startRetention } from '../../../../src/platform/sources/retention/retention-rounds.js';
import { plumbline } from '../../../cli/plumbline.js';
import { captureLog } from '../../../support/captured-log.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';

const now = new Date('2026-06-01T00:00:00Z');
const ago = (days: number): Date => new Date(now.getTime() - days * 86_400_000);

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.uri, { logger: captureLog().log });
  const { sql } = database;
  const [user] = await sql<{ id: string }[]>`insert into users (email) values ('a@example.com') returning id`;
  const [org] = await sql<{ id: string }[]>`insert into organizations (name) values ('Acme') returning id`;
  const [config] = await sql<{ id: string }[]>`
    insert into sync_configs (org_id, name, provider, targets)
    values (${org?.id ?? ''}, 'all', 'synthetic', '{git}') returning id`;
  for (const [index, days] of [30, 8, 6, -3].entries()) {
    await sql`insert into refresh_tokens (token_hash, family_id, user_id, expires_at, family_expires_at)
      values (${Buffer.alloc(32, index)}, gen_random_uuid(), ${user?.id ?? ''}, ${ago(days)}, ${ago(days)})`;
  }
  for (const days of [400, 200, 100, 5]) {
    await sql`insert into sync_runs (org_id, sync_config_id, status, created_at, finished_at)
      values (${org?.id ?? ''}, ${config?.id ?? ''}, 'complete', ${ago(days)}, ${ago(days)})`;
    await sql`insert into audit_log (action, resource_kind, status, at)
      values ('LOGIN', 'SESSION', 'success', ${ago(days)})`;
    await sql`insert into outgoing_mails (kind, recipient, payload_sealed, failed_at)
      values ('reset', 'a@example.com', '', ${ago(days)})`;
  }
  await sql`insert into outgoing_mails (kind, recipient, payload_sealed, created_at)
    values ('reset', 'a@example.com', '', ${ago(500)})`;
  for (const [network, days] of [
    ['192.0.2.1', 0.01],
    ['192.0.2.2', -0.01],
  ] as const) {
    await sql`insert into proven_networks values (${`a@example.com ${network}`}, 'a@example.com', ${ago(days)})`;
  }
  for (const [index, days] of [2, 0.01, -0.01].entries()) {
    await sql`insert into idempotency_keys values (${Buffer.alloc(32, index)}, '', ${ago(days)})`;
  }
  const [hook] = await sql<{ id: string }[]>`
    insert into webhooks (id, org_id, url, events, sealed_secret)
    values (gen_random_uuid(), ${org?.id ?? ''}, 'http://a.example', '{member.joined}', '') returning id`;
  for (const until of [ago(0.01), ago(-1)]) {
    await sql`insert into webhook_earlier_secrets (webhook_id, sealed_secret, signs_until)
      values (${hook?.id ?? ''}, '', ${until})`;
  }
  // The secret before that of the third still signs.
  for (const [until, earlier] of [
    [ago(0.01), null],
    [ago(-1), null],
    [ago(0.01), ago(-1)],
  ] as const) {
    const [rotated] = await sql<{ id: string }[]>`
      insert into webhooks (id, org_id, url, events, sealed_secret, previous_sealed_secret, previous_secret_until)
      values (gen_random_uuid(), ${org?.id ?? ''}, 'http://b.example', '{member.joined}', '', '', ${until})
      returning id`;
    if (earlier === null) continue;
    await sql`insert into webhook_earlier_secrets (webhook_id, sealed_secret, signs_until)
      values (${rotated?.id ?? ''}, '', ${earlier})`;
  }
  for (const failedAt of [ago(31), ago(29), null]) {
    await sql`
      insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at, failed_at)
      values (${hook?.id ?? ''}, gen_random_uuid(), 'member.joined', 'a', '{}', ${ago(60)}, ${ago(60)}, ${failedAt})`;
  }
  for (const acceptedAt of [ago(7.1), ago(6.9)]) {
    await sql`
      insert into accepted_webhook_deliveries (id, webhook_id, event_id, event, created_at, attempts, accepted_at)
      values (gen_random_uuid(), ${hook?.id ?? ''}, gen_random_uuid(), 'member.joined', ${ago(60)}, 1, ${acceptedAt})`;
  }
  for (const [index, expiresAt] of [ago(100), ago(-1)].entries()) {
    await sql`
      insert into security_mails (token_hash, user_id, kind, created_at, expires_at)
      values (${Buffer.alloc(32, 90 + index)}, gen_random_uuid(), 'password_changed', ${ago(107)}, ${expiresAt})`;
  }
  for (const [index, expiresAt] of [ago(1), ago(-1)].entries()) {
    await sql`
      insert into login_attempts (state_hash, browser_hash, provider, expires_at)
      values (${Buffer.alloc(32, 80 + index)}, ${Buffer.alloc(32, 80)}, 'github', ${expiresAt})`;
  }
  for (const [index, expiresAt] of [ago(1), ago(-1)].entries()) {
    await sql`
      insert into mfa_attempts (token_hash, user_id, token_version, expires_at)
      values (${Buffer.alloc(32, 85 + index)}, ${user?.id ?? ''}, 0, ${expiresAt})`;
    await sql`
      insert into passkey_challenges (challenge_hash, expires_at) values (${Buffer.alloc(32, 85 + index)}, ${expiresAt})`;
  }
  for (const expiresAt of [ago(100), ago(5)]) {
    await sql`
      insert into sso_sessions (family_id, connection_id, user_id, subject, expires_at)
      values (gen_random_uuid(), gen_random_uuid(), ${user?.id ?? ''}, 'a', ${expiresAt})`;
  }
  for (const [index, expiresAt] of [ago(1), ago(-1)].entries()) {
    await sql`insert into sso_logout_tokens values (${Buffer.alloc(32, index)}, ${expiresAt})`;
  }
  // Of a token that is active, one that has expired and one that is revoked.
  for (const [index, [expiresAt, revokedAt, ends]] of [
    [ago(-9), null, [null, ago(-1), ago(0.01)]] as const,
    [ago(1), null, [null]] as const,
    [ago(-9), ago(1), [null]] as const,
  ].entries()) {
    const [token] = await sql<{ id: string }[]>`
      insert into service_tokens (org_id, name, scopes, expires_at, revoked_at)
      values (${org?.id ?? ''}, ${`token ${index}`}, '{teams:read}', ${expiresAt}, ${revokedAt}) returning id`;
    for (const [secret, until] of ends.entries()) {
      await sql`insert into service_token_secrets (secret_hash, token_id, created_at, valid_until)
        values (${Buffer.alloc(32, 10 * index + secret)}, ${token?.id ?? ''}, ${ago(30)}, ${until})`;
    }
  }
  for (const [index, endedAt] of [ago(1), ago(-0.001)].entries()) {
    await sql`
      insert into app_installation_starts (state_hash, org_id, user_id, session_id, return_to, expires_at)
      select ${Buffer.alloc(32, index)}, ${org?.id ?? ''}, id, gen_random_uuid(), '/console', ${endedAt} from users limit 1`;
  }
  for (const receivedAt of [ago(8), ago(6)]) {
    await sql`insert into host_events (delivery_id, received_at) values (gen_random_uuid(), ${receivedAt})`;
  }
  await sql`insert into rate_limits values ('old', 1, ${ago(1).getTime()}), ('new', 1, ${ago(-1).getTime()})`;
});
afterEach(async () => {
  await database.close();
  await place.drop();
});

const retention = { auditDays: 150, syncRunDays: 90, failedMailDays: 30 };
const pruned = [
  { what: 'expired refresh tokens', rows: 2 },
  { what: 'expired tokens of mails', rows: 0 },
  { what: 'expired log-ins with identity providers', rows: 1 },
  { what: 'expired log-ins that await a second factor', rows: 1 },
  { what: 'expired challenges of passkeys', rows: 1 },
  { what: 'ended sessions by SSO', rows: 1 },
  { what: 'expired logout tokens of SSO', rows: 1 },
  { what: 'expired links of mails about the security of accounts', rows: 1 },
  { what: 'expired idempotency keys', rows: 2 },
  { what: 'ended earlier secrets of webhooks', rows: 1 },
  { what: 'ended previous secrets of webhooks', rows: 1 },
  { what: 'ended secrets of service tokens', rows: 3 },
  { what: 'ended visits to the code host', rows: 1 },
  { what: 'events of the code host', rows: 1 },
  { what: 'rate limit counters', rows: 1 },
  { what: 'login failures', rows: 0 },
  { what: 'networks with an ended proof of a mailbox', rows: 1 },
  { what: 'sync runs', rows: 3 },
  { what: 'mails that were given up', rows: 3 },
  { what: 'accepted webhook deliveries', rows: 1 },
  { what: 'webhook deliveries that were given up', rows: 1 },
  { what: 'audit records', rows: 2 },
];

test('prune deletes what is older, in batches, and a dry run only counts it', async () => {
  expect(await prune(database.sql, now, retention, { dryRun: true })).toEqual(pruned);
  expect(await prune(database.sql, now, retention, { dryRun: false, batchSize: 2 })).toEqual(pruned);
  const nothing = pruned.map(({ what }) => ({ what, rows: 0 }));
  expect(await prune(database.sql, now, retention, { dryRun: true })).toEqual(nothing);
  expect(await database.sql`select id from outgoing_mails`).toHaveLength(2);
  expect(await database.sql`select 1 from service_token_secrets`).toHaveLength(2);
  const secrets = await database.sql`
    select previous_sealed_secret is not null as kept, previous_secret_until from webhooks
    where url = 'http://b.example' order by previous_secret_until`;
  expect(secrets).toEqual([
    { kept: true, previous_secret_until: ago(0.01) },
    { kept: true, previous_secret_until: ago(-1) },
    { kept: false, previous_secret_until: null },
  ]);
});

test('audit records stay unless a period is given, and nothing else can delete them', async () => {
  const kept = await prune(database.sql, now, { ...retention, auditDays: null }, { dryRun: false });
  expect(kept.map(({ what }) => what)).not.toContain('audit records');
  await prune(database.sql, now, retention, { dryRun: false });
  await expect(database.sql`delete from audit_log`).rejects.toMatchObject({ code: '42501' });
  await expect(
    database.sql.begin(async (transaction) => {
      await transaction`set local plumbline.prunes_audit_log = 'on'`;
      await transaction`update audit_log set note = 'changed'`;
    }),
  ).rejects.toMatchObject({ code: '42501' });
});

test('the last run of a configuration stays, however old it is', async () => {
  const later = new Date(now.getTime() + 1000 * 86_400_000);
  await prune(database.sql, later, retention, { dryRun: false });
  expect(await database.sql`select id from sync_runs`).toHaveLength(1);
});

test('of several servers one deletes, which logs how much', async () => {
  const { log, lines } = captureLog();
  const rounds = startRetention({ sql: database.sql, clock: { now: () => now }, log, retention, recordDays: null });
  await rounds.drain();
  const nothing = pruned.map(({ what }) => ({ what, rows: 0 }));
  expect(await prune(database.sql, now, retention, { dryRun: true })).toEqual(nothing);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'old data deleted', deleted: { 'sync runs': 3, 'audit records': 2 } },
  ]);
  await rounds.drain();
  expect(lines).toHaveLength(1);
  await rounds.stop();
});

test('what cannot be deleted does not keep the rest', async () => {
  await database.sql`alter table sync_runs rename to other_runs`;
  await expect(prune(database.sql, now, retention, { dryRun: false })).rejects.toThrow(
    'Some old data cannot be deleted',
  );
  expect(await database.sql`select id from audit_log`).toHaveLength(2);
  await database.sql`alter table other_runs rename to sync_runs`;
});

test('a server leaves the work to another one that does it, and stops between two batches', async () => {
  await database.sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended('plumbline retention', 0))`;
    const left = await prune(database.sql, now, retention, { dryRun: false, alone: true });
    expect(left.every(({ rows }) => rows === 0)).toBe(true);
  });
  let batches = 0;
  const stopping = { dryRun: false, batchSize: 1, alone: true, isStopped: () => (batches += 1) > 1 };
  const some = await prune(database.sql, now, retention, stopping);
  expect(some.map(({ rows }) => rows).reduce((sum, rows) => sum + rows)).toBe(1);
});

test('plumbline prune prints how much it has deleted, and refuses periods that are not days', async () => {
  const environment = { DATABASE_URI: place.uri };
  const dry = await plumbline(['prune', '--dry-run', '--run-days', '50'], { environment });
  expect(dry.stdout).toMatch(/^Would delete \d expired refresh tokens\.$/m);
  expect(await plumbline(['prune', '--audit-days', '0'], { environment })).toMatchObject({
    exitCode: 1,
    stderr: 'plumbline: --audit-days must be a number of days, at least 1\n',
  });
});

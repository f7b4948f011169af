import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { startOwnPostgres } from '../../../support/postgres.js';
import { migrate } from '../../../../src/database/migrate.js';
import { captureLog } from '../../../support/captured-log.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const scrape = async (from = platform): Promise<string> => String((await from.json('GET', '/metrics')).body);
const file = (name: string): Promise<string> =>
  readFile(new URL(`../../../../src/platform/server/deploy/${name}`, import.meta.url), 'utf8');

async function valueOf(series: string, from = platform): Promise<number | undefined> {
  const line = (await scrape(from)).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('the metrics tell of the release, waiting mails, failed logins, lockouts and transactions', async () => {
  expect(await scrape()).toMatch(/^plumbline_build_info\{version="\d+\.\d+\.\d+",node="[\d.]+"\} 1$/m);
  expect(await valueOf('plumbline_database_up')).toBe(1);
  expect(await valueOf('plumbline_database_transactions_limit')).toBe(5);
  expect(await valueOf('plumbline_login_lockouts')).toBe(0);
  const body = { email: 'nobody@example.com', password: 'seven wrong rivers 7' };
  for (let attempt = 0; attempt < 5; attempt++) await platform.json('POST', '/api/v1/auth/login', { body });
  expect(await valueOf('plumbline_login_failures_total')).toBeGreaterThanOrEqual(4);
  expect(await valueOf('plumbline_login_lockouts')).toBe(1);

  const { sql } = platform.database;
  const now = platform.clock.now();
  const mail = (age: number, failed: Date | null): Promise<unknown> => {
    const at = new Date(now.getTime() - age * 1000);
    const later = new Date(now.getTime() + 3_600_000);
    return sql`insert into outgoing_mails (kind, recipient, payload_sealed, created_at, available_at, failed_at)
      values ('verification', 'a@example.com', '', ${at}, ${later}, ${failed})`;
  };
  await mail(90, null);
  await mail(30, null);
  await mail(7200, now);
  expect(await valueOf('plumbline_mail_outbox{state="waiting"}')).toBe(2);
  expect(await valueOf('plumbline_mail_outbox{state="failed"}')).toBe(1);
  expect(Math.floor((await valueOf('plumbline_mail_outbox_oldest_seconds')) ?? 0)).toBe(90);
});

test('the metrics tell how many pushed records wait, and how many could not be stored', async () => {
  const { sql } = platform.database;
  const { orgId } = await platform.signUp();
  expect(await valueOf('plumbline_pushed_records{state="refused"}')).toBe(0);
  const push = { org_id: orgId, content: '{}', bytes: 2, pushed_at: platform.clock.now() };
  await sql`insert into pushed_records ${sql([
    { ...push, records: 3, refusal: null },
    { ...push, records: 4, refusal: null },
    { ...push, records: 5, refusal: 'refused by a rule' },
  ])}`;
  expect(await valueOf('plumbline_pushed_records{state="waiting"}')).toBe(7);
  expect(await valueOf('plumbline_pushed_records{state="refused"}')).toBe(5);
});

test('the metrics tell how many deliveries wait, and how long one of an active webhook has been due', async () => {
  const { sql } = platform.database;
  expect(await valueOf('plumbline_webhook_deliveries_oldest_seconds')).toBe(0);
  const { orgId } = await platform.signUp();
  await platform.running.webhooks.stop();
  const deliver = async (isActive: boolean, dueSeconds: number, failed: boolean): Promise<void> => {
    const now = platform.clock.now();
    const at = new Date(now.getTime() - dueSeconds * 1000);
    await sql`
      with hook as (
        insert into webhooks (id, org_id, url, events, sealed_secret, is_active)
        values (gen_random_uuid(), ${orgId}, 'http://a.example', '{member.joined}', '', ${isActive}) returning id)
      insert into webhook_deliveries (webhook_id, event_id, event, subject, data, created_at, available_at, failed_at)
      select id, gen_random_uuid(), 'member.joined', 'a', '{}', ${at}, ${at}, ${failed ? now : null}::timestamptz
      from hook`;
  };
  await deliver(true, 90, false);
  await deliver(true, -60, false);
  await deliver(false, 7200, false);
  await deliver(true, 9000, true);
  expect(await valueOf('plumbline_webhook_deliveries_waiting')).toBe(3);
  expect(Math.floor((await valueOf('plumbline_webhook_deliveries_oldest_seconds')) ?? 0)).toBe(90);
});

test('the metrics count the sampled replies that violate the contract, which are sent', async () => {
  const own = await startTestPlatform({ environment: { REPLY_VALIDATION: 'sampled' } });
  try {
    const { accessToken, userId } = await own.signUp();
    await own.database.sql`update users set email = 'no address' where id = ${userId}`;
    const series = 'plumbline_reply_mismatch_total{operation="getMe"}';
    const getMe = async (): Promise<string> => {
      // Not through the recorder, which refuses a wrong reply.
      const reply = await fetch(`${own.url}/api/v1/auth/me`, { headers: { Authorization: `Bearer ${accessToken}` } });
      return reply.text();
    };
    // That 2,000 replies hold no sample has a chance of 2e-9.
    for (let sent = 0; sent < 2000 && (await valueOf(series, own)) === undefined; sent += 20) {
      const replies = await Promise.all(Array.from({ length: 20 }, getMe));
      for (const reply of replies) expect(reply).toContain('"email":"no address"');
    }
    expect(await valueOf(series, own)).toBeGreaterThan(0);
  } finally {
    await own.stop();
  }
});

test('while the database is down, the metrics are available and report it', async () => {
  const postgres = await startOwnPostgres();
  await migrate(postgres.uri, { logger: captureLog().log });
  const own = await startTestPlatform({ databaseUri: postgres.uri });
  try {
    await postgres.crash();
    expect(await valueOf('plumbline_database_up', own)).toBe(0);
    expect(await valueOf('plumbline_login_lockouts', own)).toBeUndefined();
    expect(await scrape(own)).toContain('plumbline_build_info');
  } finally {
    await postgres.start();
    await own.stop();
    await postgres.remove();
  }
});

test('alerts and dashboard name only metrics that exist', async () => {
  await platform.json('GET', '/health/live');
  const text = await scrape();
  const names = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  const alerts = (parse(await file('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] })
    .groups;
  const dashboard = JSON.parse(await file('dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const expressions = [
    ...alerts.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  expect(expressions.length).toBeGreaterThan(20);
  const named = expressions.flatMap((each) => each.match(/\b[a-z]+_[a-z0-9_]*[a-z0-9]\b/g) ?? []);
  const functions = new Set(['histogram_quantile']);
  expect([...new Set(named)].filter((name) => !names.has(name) && !functions.has(name))).toEqual([]);
});

const promtool = process.env['TEST_PROMTOOL'] ?? 'promtool';
const withoutPromtool = spawnSync(promtool, ['--version']).status === 0 ? '' : ' (skipped: promtool is not installed)';

test.skipIf(withoutPromtool !== '')(`promtool accepts the metrics and the alert rules${withoutPromtool}`, async () => {
  const rules = new URL('../../../../src/platform/server/deploy/alerts.yaml', import.meta.url).pathname;
  expect(spawnSync(promtool, ['check', 'rules', rules], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  const metrics = spawnSync(promtool, ['check', 'metrics'], { input: await scrape(), encoding: 'utf8' });
  expect(metrics).toMatchObject({ status: 0, stderr: '' });
});

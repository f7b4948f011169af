import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { makeHome, type Home } from './logged-in.js';
import type { Finished } from './plumbline.js';
import { noFilters } from '../platform/figures/views/definition.js';

let platform: TestPlatform;
let owner: TestUser;
let home: Home;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  home = makeHome();
});
afterAll(async () => {
  await home.remove();
  await platform.stop();
});

const api = (args: readonly string[], input = ''): Promise<Finished> =>
  home.run(['api', ...args], input, { PLUMBLINE_SERVER: platform.url });

test('an admin who is logged in manages webhooks and thresholds with plumbline api', async () => {
  const login = await home.run(['login', '--server', platform.url, '--email', owner.email], `${owner.password}\n`);
  expect([login.exitCode, login.stderr]).toEqual([0, '']);

  const url = 'https://hooks.example.com/plumbline';
  const created = await api([
    'create-webhook',
    '--url',
    url,
    '--events',
    'member.joined',
    'sync_run.finished',
    '--json',
  ]);
  expect([created.exitCode, created.stderr]).toEqual([0, '']);
  const { secret, webhook } = JSON.parse(created.stdout);
  const rotated = await api(['rotate-webhook-secret', '--webhook-id', webhook.id, '--overlap-seconds', '0', '--json']);
  expect([rotated.exitCode, rotated.stderr]).toEqual([0, '']);
  expect(JSON.parse(rotated.stdout).secret).not.toBe(secret);
  const webhooks = await api(['list-webhooks', '--json']);
  expect(JSON.parse(webhooks.stdout)).toMatchObject({ items: [{ id: webhook.id, url }] });
  expect((await api(['list-webhooks'])).stdout).toContain(url);

  const definition = { measure: 'count', direction: 'above', value: 2, window_days: 7, filters: noFilters };
  const threshold = await api(
    ['create-threshold', '--name', 'Busy', '--body', '-', '--json'],
    JSON.stringify({ definition }),
  );
  expect([threshold.exitCode, threshold.stderr]).toEqual([0, '']);
  const thresholds = await api(['list-thresholds', '--json']);
  expect(JSON.parse(thresholds.stdout)).toMatchObject({ items: [{ name: 'Busy', definition }] });
  expect((await api(['list-thresholds'])).stdout).toContain('Busy');
});

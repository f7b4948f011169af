import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { sync } from '../sync/harness.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`On the Rules page${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp();
    const from = { provider: 'synthetic', target: 'deployments', repoName: 'a/b', date: '2026-01-10', backfill: '90' };
    await sync({ ...from, db: running.platform.databaseUri, org: owner.orgId });
  });
  afterAll(() => running.stop());

  async function insider(user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open('/console/rules');
    await visitor.logIn(user);
    await visitor.page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
    return visitor;
  }

  test('patterns of production are tried, and decide when they are stored', async () => {
    const { page, complaints } = await insider(owner);
    const production = page.getByRole('list', { name: 'Production', exact: true });
    const others = page.getByRole('list', { name: 'Not production' });
    await production.getByText('production', { exact: true }).waitFor();
    await others.getByText('staging', { exact: true }).waitFor();

    await page.getByLabel('Patterns of production').fill('stag*\n!production');
    await page.getByRole('button', { name: 'Preview' }).click();
    await production.getByText('staging', { exact: true }).waitFor();
    await others.getByText('production', { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the line' }).click();
    await page.getByText('The line is copied.').waitFor();
    const line = String(await page.evaluate('navigator.clipboard.readText()'));
    await page.getByRole('button', { name: 'Show what the rules say' }).click();
    await production.getByText('production', { exact: true }).waitFor();

    await page.getByLabel('Content of the file').fill(`${line}\nrules: []`);
    await page.getByRole('button', { name: 'Store the rules' }).click();
    await page.getByText('The rules are stored.').waitFor();
    await production.getByText('staging', { exact: true }).waitFor();
    await others.getByText('production', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a file is corrected by its problems', async () => {
    const admin = await running.platform.signUp();
    const { page, complaints, provoke } = await insider(admin);
    provoke(/^422 .*\/rules$/);
    await page.getByText('No deployments are stored').waitFor();
    await page.getByText('The organization has no rules.').waitFor();
    await page.getByLabel('Content of the file').fill('rules:\n  - { name: a, gives: nothing }\n');
    await page.getByRole('button', { name: 'Store the rules' }).click();
    await page.getByText('The file is invalid, and nothing was changed.').waitFor();
    expect(await page.getByRole('list', { name: 'Problems of the file' }).textContent()).toContain('Line 2: rules[0]');
    await page
      .getByLabel('Content of the file')
      .fill('rules:\n  - { name: partners, labels: [partner], gives: feature_delivery.customer }\n');
    await page.getByRole('button', { name: 'Store the rules' }).click();
    await page.getByText('The organization has 1 rule,').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a viewer reads the rules, and cannot change them', async () => {
    const viewer = await running.platform.signUp({ invitedBy: owner, role: 'viewer' });
    const { page, complaints } = await insider(viewer);
    await page.getByRole('list', { name: 'Not production' }).waitFor();
    expect(await page.getByRole('button', { name: 'Store the rules' }).count()).toBe(0);
    expect(await page.getByLabel('Patterns of production').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

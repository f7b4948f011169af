import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueOf } from '../platform/sources/sync-runs/jobs/queue.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`On the Teams page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole({ environment: { SYNC_JOBS: '1' } });
  });
  afterAll(() => running.stop());

  async function insider(user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.open('/console/teams');
    await visitor.logIn(user);
    await visitor.page.getByRole('heading', { name: 'Coverage' }).waitFor();
    return visitor;
  }

  test('a file is chosen, corrected by its problems, and imported, and coverage rises', async () => {
    const owner = await running.platform.signUp();
    const queue = queueOf(running.platform, owner);
    const config = await queue.configure({ repositories: ['acme/tools'] });
    await queue.until(config, await queue.start(config), 'complete');
    const { page, complaints, provoke } = await insider(owner);
    provoke(/^422 .*\/teams$/);
    await page.getByText('0% of the work').waitFor();
    await page.getByText('There are no teams yet').waitFor();

    await page.getByRole('button', { name: 'Import a file' }).click();
    const file = { name: 'teams.yaml', mimeType: 'application/yaml' };
    const text = "teams:\n  - id: tools\n    colour: red\n    repositories: ['acme/*']\n";
    await page.getByLabel('File', { exact: true }).setInputFiles({ ...file, buffer: Buffer.from(text) });
    const content = page.getByLabel('Content of the file');
    await expect.poll(() => content.inputValue()).toBe(text);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    expect(await page.getByRole('list', { name: 'Problems of the file' }).textContent()).toContain('Line 3: teams[0]');
    await content.fill(text.replace('colour: red', 'name: Tools'));
    await page.getByRole('button', { name: 'Import', exact: true }).click();

    await page.getByText('1 team is imported.').waitFor();
    await page.getByText('100% of the work').waitFor();
    await page.getByText('Before the change it was 0%.').waitFor();
    await page.getByText('✓ up to date').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a team is created, changed and deleted with the keyboard alone', async () => {
    const { page, complaints, provoke } = await insider(await running.platform.signUp());
    provoke(/^422 .*\/teams$/);
    await page.getByRole('button', { name: 'New team' }).press('Enter');
    await page.getByLabel('Id').pressSequentially('payments');
    await page.getByLabel('Id').press('Enter'); // neither members nor repositories
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Members').pressSequentially('ada@example.com');
    await page.getByRole('button', { name: 'Create', exact: true }).press('Enter');
    await page.getByRole('list', { name: 'Teams' }).getByText('ada@example.com').waitFor();

    await page.getByRole('button', { name: 'Edit payments' }).press('Enter');
    await page.getByLabel('Name').fill('Payments');
    await page.getByLabel('Name').press('Enter');
    await page.getByText('Payments is saved.').waitFor();

    await page.getByRole('button', { name: 'Delete Payments' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete Payments' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('There are no teams yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a viewer sees the teams, but no buttons to change them', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const path = `/api/v1/organizations/${owner.orgId}/teams`;
    const body = { id: 'payments', members: ['ada@example.com'] };
    expect((await platform.json('POST', path, { token: owner.accessToken, body })).status).toBe(201);
    const { page, complaints } = await insider(await platform.signUp({ invitedBy: owner, role: 'viewer' }));
    await page.getByText('ada@example.com').waitFor();
    for (const name of ['New team', 'Import a file', 'Edit payments', 'Delete payments', 'Assign again']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });
});

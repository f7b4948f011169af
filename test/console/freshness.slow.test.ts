import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, smallOrganization, unit } from '../analytics/graphql/served.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

const reason = 'example/api: The code host rejected the token.';

/** Keeps the texts around a chart in the variable `texts` when a picture is made of it. */
const recordTexts = `const serialize = XMLSerializer.prototype.serializeToString;
XMLSerializer.prototype.serializeToString = function (svg) {
  window.texts = [...svg.children].filter(({ tagName }) => tagName === 'text').map(({ textContent }) => textContent);
  return serialize.call(this, svg);
};`;

describe.skipIf(!hasBrowser)(`The freshness of figures${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  let configId: string;
  beforeAll(async () => {
    running = await startConsole();
    const { platform } = running;
    owner = await platform.signUp({ organization: 'Quiet Rivers' });
    await fill(platform.databaseUri, owner.orgId, smallOrganization);
    const body = { name: 'Services', provider: 'synthetic', targets: ['git'], repositories: ['example/api'] };
    const options = { token: owner.accessToken, body };
    configId = String((await platform.json('POST', '/api/v1/admin/sync-configs', options)).body.id);
  });
  afterAll(() => running.stop());

  async function ended(status: 'complete' | 'failed', error: string | null, began: Date): Promise<void> {
    await running.platform.database.sql`
      insert into sync_runs (id, org_id, sync_config_id, status, error, created_at, started_at, finished_at)
      values (${randomUUID()}, ${owner.orgId}, ${configId}, ${status}, ${error}, ${began}, ${began}, ${began})`;
  }

  async function overview(user: TestUser, page = 'overview'): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.open(`/console/${page}?range=custom&start=2026-03-01&end=2026-03-31`);
    await visitor.logIn(user);
    return visitor;
  }

  test('is shown on each page of figures, and without a warning while syncs read everything', async () => {
    await ended('complete', null, new Date('2026-03-20T09:00:00Z'));
    const { page, complaints } = await overview(owner);
    for (const each of ['overview', 'delivery', 'explore', 'work-units']) {
      await page.goto(new URL(`/console/${each}?range=custom&start=2026-03-01&end=2026-03-31`, page.url()).href);
      await page.getByText('Figures as of 20 Mar 2026').waitFor();
    }
    expect(await page.getByText('newer work may be missing').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('is in files and pictures of charts, with the organization, its filters and the days', async () => {
    const { platform } = running;
    await fill(platform.databaseUri, owner.orgId, [unit({ id: 'one', repo: 'acme/api', day: '2026-03-10' })]);
    const { page } = await overview(owner);
    const address = '/console/explore?dimension=repo&repo=acme/api&range=custom&start=2026-03-01&end=2026-03-31';
    await page.goto(new URL(address, page.url()).href);
    const chart = page.getByRole('region', { name: 'Work units by repository', exact: true });
    const csv = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as CSV$/ }).click();
    expect((await csv).suggestedFilename()).toBe('work-units-by-repository-2026-03-01-to-2026-03-31.csv');
    expect(await readFile(await (await csv).path(), 'utf8')).toBe(
      '\uFEFFRepository,Work units,Known since,As of\r\nacme/api,1,2026-03-10,2026-03-20T09:00:00.000Z\r\n',
    );
    await page.evaluate(recordTexts);
    const png = page.waitForEvent('download');
    await chart.getByRole('button', { name: /as PNG$/ }).click();
    expect((await png).suggestedFilename()).toBe('work-units-by-repository-2026-03-01-to-2026-03-31.png');
    expect(await page.evaluate('texts')).toEqual([
      'Work units by repository',
      'Quiet Rivers · Repository: acme/api',
      '1 Mar 2026 – 31 Mar 2026, as of 20 Mar 2026, 09:00 UTC',
      'Known since 10 Mar 2026',
    ]);
  });

  test('tells admins why a sync failed, and leads them to it; members learn that work may be missing', async () => {
    await ended('failed', reason, new Date('2026-03-21T09:00:00Z'));
    const admin = await overview(owner);
    await admin.page.getByText('Figures as of 20 Mar 2026').waitFor();
    await admin.page.getByText(reason).waitFor();
    await admin.page.getByRole('link', { name: 'Services' }).click();
    await admin.page.getByText('The latest run failed.').waitFor();

    const member = await overview(await running.platform.signUp({ invitedBy: owner, role: 'viewer' }));
    await member.page.getByText('newer work may be missing. Admins can see why.').waitFor();
    await member.page.getByText('Figures as of 20 Mar 2026').waitFor();
    expect(await member.page.getByText(reason).count()).toBe(0);
    expect([...admin.complaints, ...member.complaints]).toEqual([]);
  });
});

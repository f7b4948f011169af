import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { json, startCodeHostDouble } from '../platform/sources/integrations/code-host-double.js';
import { git, initRepository } from '../support/git-history.js';
import { signUpWithOrganizationId } from '../support/organization-id.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

/** Answers like GitHub. @param repositories null: the token is refused */
function codeHost(repositories: readonly string[] | null): RequestListener {
  return repositories === null
    ? json(401, {})
    : json(
        200,
        repositories.map((name) => ({ full_name: name })),
      );
}

describe.skipIf(!hasBrowser)(`On the Sources page${withoutBrowser}`, () => {
  /** The organizations that may read local repositories, one for each test that does. */
  const localOrganizations = Array.from({ length: 5 }, () => randomUUID());
  let running: RunningConsole;
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'plumbline-console-'));
    await mkdir(join(root, 'api'));
    initRepository(join(root, 'api'));
    await writeFile(join(root, 'api', 'checkout.ts'), 'export {};\n');
    git(join(root, 'api'), 'add', '.');
    // Of today: the overview looks at the latest weeks.
    const today = new Date().toISOString();
    git(join(root, 'api'), 'commit', '--quiet', `--date=${today}`, '-m', 'feat: add a checkout');
    running = await startConsole({
      environment: { SYNC_JOBS: '1', SYNC_LOCAL_ROOT: root, SYNC_LOCAL_ORGANIZATIONS: localOrganizations.join() },
    });
  });
  afterAll(async () => {
    await running.stop();
    await rm(root, { recursive: true, force: true });
  });

  function signUpWithLocalRepositories(): Promise<TestUser> {
    return signUpWithOrganizationId(running.platform, localOrganizations.pop() ?? '');
  }

  async function insider(user: TestUser, path = '/console/sources'): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.open(path);
    await visitor.logIn(user);
    return visitor;
  }

  /** Choices of the list of repositories, as the form shows it. */
  function listed(page: Page): Locator {
    return page.getByRole('list', { name: 'Repositories found' });
  }

  async function createSync(page: Page, name: string, from: string, repositories: string): Promise<void> {
    await page.getByRole('button', { name: 'New sync' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Read from').selectOption(from);
    await page.getByLabel('Repositories', { exact: true }).fill(repositories);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name }).waitFor();
  }

  test('a local repository is read, the run is followed to its end, and the overview shows the work', async () => {
    const { page, complaints } = await insider(await signUpWithLocalRepositories());
    await createSync(page, 'Server', 'Repositories on the server', 'api');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('list', { name: 'Runs' }).getByText('✓ complete').waitFor();
    expect(await page.getByRole('list', { name: 'Runs' }).textContent()).toContain('1 of 1 repository');

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Flow of work').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a repository is searched and chosen from the list, read, and shown in the charts', async () => {
    const { page, complaints } = await insider(await signUpWithLocalRepositories());
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('No work in this period').first().waitFor();
    await page.getByRole('link', { name: 'Go to Sources' }).click();
    await page.getByRole('button', { name: 'New sync' }).click();
    await page.getByLabel('Name').fill('Chosen');
    await page.getByText('Choose from a list').click();
    await listed(page).getByLabel('api').waitFor();
    await page.getByLabel('Search').fill('no such repository');
    await page.getByText('No repository matches').waitFor();
    await page.getByLabel('Search').fill('AP');
    await page.keyboard.press('Enter'); // does not send the form
    await listed(page).getByLabel('api').check();
    expect(await page.getByLabel('Repositories', { exact: true }).inputValue()).toBe('api');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Chosen' }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('list', { name: 'Runs' }).getByText('✓ complete').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Flow of work').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('commits of a rewritten history are removed if the sync says so', async () => {
    const user = await signUpWithLocalRepositories();
    const { page, complaints } = await insider(user);
    const choice = page.getByRole('checkbox', { name: 'Remove rewritten commits' });
    const stored = async (): Promise<unknown> => {
      const { body } = await running.platform.json('GET', '/api/v1/admin/sync-configs', { token: user.accessToken });
      return body.items.map(({ prune }: { readonly prune: boolean }) => prune);
    };
    await page.getByRole('button', { name: 'New sync' }).click();
    await page.getByLabel('Read from').selectOption('Made-up data');
    expect(await choice.count()).toBe(0);
    await page.getByLabel('Read from').selectOption('Repositories on the server');
    await page.getByLabel('Name').fill('Rewritten');
    await page.getByLabel('Repositories', { exact: true }).fill('api');
    expect(await choice.isChecked()).toBe(false);
    await choice.check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Rewritten' }).waitFor();
    expect(await stored()).toEqual([true]);

    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await choice.isChecked()).toBe(true);
    await choice.uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is saved').waitFor();
    expect(await stored()).toEqual([false]);
    expect(complaints).toEqual([]);
  });

  test('a new sync reads everything every day; the schedule can be changed, and a wrong one is explained', async () => {
    const user = await signUpWithLocalRepositories();
    const { page, complaints, provoke } = await insider(user);
    const stored = async (): Promise<unknown> => {
      const { body } = await running.platform.json('GET', '/api/v1/admin/sync-configs', { token: user.accessToken });
      return body.items.map(({ schedule, targets }: { schedule: string; targets: string[] }) => [schedule, targets]);
    };
    await createSync(page, 'Daily', 'Repositories on the server', 'api');
    expect(await stored()).toEqual([['daily', ['git', 'prs', 'blame']]]);
    await page.getByText('Every day').waitFor();
    await page.getByText('Next run', { exact: false }).first().waitFor();

    const edit = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Runs', { exact: true }).selectOption('At other times');
    };
    await edit();
    await page.getByLabel('Cron expression').fill('*/5 * * * *');
    provoke(/^422 .*\/sync-configs\//);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('at least 15 minutes between its minutes').waitFor();
    await page.getByLabel('Cron expression').fill('30 6 * * 1-5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At 30 6 * * 1-5 (cron, UTC)').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByLabel('Cron expression').inputValue()).toBe('30 6 * * 1-5');
    await page.getByLabel('Runs', { exact: true }).selectOption('Only when it is started');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only when it is started').first().waitFor();
    expect(await stored()).toEqual([[null, ['git', 'prs', 'blame']]]);
    expect(complaints).toEqual([]);
  });

  test('a run that fails says why, and can be tried again after the sync was changed', async () => {
    const { page, complaints } = await insider(await signUpWithLocalRepositories());
    await createSync(page, 'Typing error', 'Repositories on the server', 'no-such-folder');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('The latest run failed.').waitFor();
    expect(await page.getByText('no-such-folder: ').first().textContent()).not.toContain(root);

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Repositories', { exact: true }).fill('api');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('is saved').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('list', { name: 'Runs' }).getByText('✓ complete').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the reasons why a sync cannot be saved are shown beside the fields', async () => {
    const { page } = await insider(await running.platform.signUp());
    await page.getByRole('button', { name: 'New sync' }).click();
    await page.getByLabel('Name').fill('Long');
    await page.getByLabel('Read from').selectOption('Made-up data');
    await page.getByLabel('Repositories', { exact: true }).fill(`acme/api\n${'x'.repeat(600)}`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Correct the marked fields').waitFor();
    const field = page.getByLabel('Repositories', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  });

  test('what was entered stays in the form when the server refuses it', async () => {
    const owner = await running.platform.signUp();
    const body = { provider: 'host_a', name: 'Mine', token: 'a-token' };
    const path = '/api/v1/admin/integrations';
    expect((await running.platform.json('POST', path, { token: owner.accessToken, body })).status).toBe(201);
    const { page } = await insider(owner);
    await page.getByRole('button', { name: 'Connect a code host' }).click();
    await page.getByLabel('Name').fill('Mine');
    await page.getByLabel('Access token').fill('another');
    await page.getByRole('button', { name: 'Connect and test' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Mine');
  });

  test('a sync is deleted after a confirmation', async () => {
    const { page, complaints } = await insider(await running.platform.signUp());
    await createSync(page, 'Short-lived', 'Made-up data', 'acme/api');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is read yet').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/sources');
    expect(complaints).toEqual([]);
  });

  test('a member sees which permission the page needs', async () => {
    const { platform } = running;
    const member = await platform.signUp({ invitedBy: await platform.signUp(), role: 'member' });
    const { page } = await insider(member);
    await page.getByText('sync:read').waitFor();
    expect(await page.getByRole('link', { name: 'Sources' }).count()).toBe(0);
  });

  test('an administrator whose role was lowered sees which role a change needs', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { page } = await insider(admin);
    await createSync(page, 'Mine', 'Made-up data', 'acme/api');
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    const lowered = await platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'viewer' } });
    expect(lowered.status).toBe(200);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('This needs the role admin').first().waitFor();
  });

  test('a code host is connected, tested, used and disconnected', async () => {
    const host = await startCodeHostDouble();
    onTestFinished(() => host.stop());
    const { page, complaints, provoke } = await insider(await running.platform.signUp());
    provoke('502 /api/v1/admin/repositories', /^409 \/api\/v1\/admin\/integrations\//);
    await page.getByRole('button', { name: 'Connect a code host' }).click();
    await page.getByLabel('Access token').fill('a-token');
    await page.getByLabel('Base URL of its API').fill(host.url);
    await page.getByRole('button', { name: 'Connect and test' }).click();
    await page.getByText('✓ token accepted').waitFor();

    host.answer(codeHost(['acme/api', 'acme/web']));
    await page.getByRole('button', { name: 'New sync' }).click();
    await page.getByLabel('Name').fill('Hosted');
    await page.getByText('Choose from a list').click();
    await listed(page).getByLabel('acme/web').check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Hosted' }).waitFor();
    host.answer(codeHost(null));
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('Choose from a list').click();
    await page.getByLabel('Search').fill('web');
    await page.getByText('The code host rejected the token.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'All sources' }).click();
    await page.getByRole('button', { name: 'Disconnect GitHub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('sync configuration').first().waitFor(); // in use: refused

    await page.getByRole('link', { name: 'Hosted' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Disconnect GitHub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No code host is connected').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)(`While no worker accepts runs${withoutBrowser}`, () => {
  test('a waiting run is cancelled, and can be started again', async () => {
    const running = await startConsole();
    try {
      const visitor = await running.visitor();
      const { page, complaints } = visitor;
      await visitor.open('/console/sources');
      await visitor.logIn(await running.platform.signUp());
      await page.getByRole('button', { name: 'Fill with demo data' }).click();
      await page.getByText('Waits for a worker').waitFor();
      await page.getByRole('button', { name: 'Cancel the run' }).click();
      await page.getByText('– cancelled').waitFor();
      await page.getByRole('button', { name: /^Retry/ }).click();
      await page.getByText('Waits for a worker').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await running.stop();
    }
  });
});

import { expect, onTestFinished, test } from 'vitest';
import { startGitlabAppHost, type GitlabAppHost } from '../support/hosts/gitlab-app-host.js';
import { hostBProject } from '../support/hosts/host-b.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

/** A console whose operator has registered an application at GitLab, and an owner who has not connected a host yet. */
async function openOnboarding(): Promise<{
  readonly running: RunningConsole;
  readonly visitor: Visitor;
  readonly app: GitlabAppHost;
}> {
  const app = await startGitlabAppHost();
  onTestFinished(() => app.stop());
  app.projects = [hostBProject(1, 'acme/api')];
  const running = await startConsole({ environment: app.environment });
  onTestFinished(() => running.stop());
  app.now = () => running.platform.clock.now().getTime();
  app.redirectUri = `${running.platform.url}/console/app-installation/gitlab`;
  const owner = await running.platform.signUp({ organization: 'Quiet Rivers' });
  const visitor = await running.visitor();
  await visitor.open('/console/onboarding');
  await visitor.logIn(owner);
  return { running, visitor, app };
}

/** What is wrong, apart from the visit to the host, which has no icon. */
function complaintsOf({ complaints }: Visitor, app: GitlabAppHost): string[] {
  return complaints.filter((text) => !text.includes(app.host.url) && text !== 'failed: 404 /favicon.ico');
}

test.skipIf(!hasBrowser)(
  `The first button of onboarding leads to GitLab, and back; a connection that has ended is connected again${withoutBrowser}`,
  async () => {
    const { running, visitor, app } = await openOnboarding();
    const { page } = visitor;
    const first = page.locator('main button').first();
    await first.waitFor();
    expect(await first.innerText()).toBe('Connect GitLab');
    await expect.poll(() => page.getByText('The app is installed already').count()).toBe(0);
    await first.click();
    await page.getByRole('heading', { name: 'Authorize Plumbline' }).waitFor();
    await page.getByRole('link', { name: 'Authorize' }).click();
    await page.waitForURL(/\/console\/overview/);
    await page.getByText('tanuki is connected.').waitFor();
    expect(page.url()).not.toMatch(/code=|state=/);

    await page.getByRole('link', { name: 'Sources' }).click();
    await page.getByText('tanuki', { exact: true }).waitFor();
    app.revokeAll();
    await page.getByRole('button', { name: 'Test tanuki' }).click();
    await page.getByText('removed at GitLab').waitFor();
    await page.getByRole('button', { name: 'Connect tanuki again' }).click();
    await page.getByRole('link', { name: 'Authorize' }).click();
    await page.waitForURL(/\/console\/sources/);
    await page.getByText('tanuki', { exact: true }).waitFor();
    expect(await page.getByText('removed at GitLab').count()).toBe(0);
    const rows = await running.platform.database.sql`select kind, provider, account, is_active from integrations`;
    expect([...rows]).toEqual([{ kind: 'app', provider: 'host_b', account: 'tanuki', is_active: true }]);

    await page.getByRole('button', { name: 'Disconnect tanuki' }).click();
    await page.getByText('Its access is revoked at GitLab').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No code host is connected').waitFor();
    expect(app.grants.every(({ isRevoked }) => isRevoked)).toBe(true);
    expect(complaintsOf(visitor, app)).toEqual([]);
  },
);

test.skipIf(!hasBrowser)(`Who does not agree at GitLab learns it, and can begin again${withoutBrowser}`, async () => {
  const { visitor, app } = await openOnboarding();
  const { page } = visitor;
  visitor.provoke('403 /api/v1/admin/app-installations/connect');
  await page.getByRole('button', { name: 'Connect GitLab' }).click();
  await page.getByRole('link', { name: 'Deny' }).click();
  await page.getByText('GitLab has not let this server read for you').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Connect GitLab' }).waitFor();
  expect(complaintsOf(visitor, app)).toEqual([]);
});

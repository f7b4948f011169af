import { expect, onTestFinished, test } from 'vitest';
import { startAppHost } from '../support/hosts/app-host.js';
import { hostARepository } from '../support/hosts/host-a.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

/** A console whose operator has registered an app, and an owner in the first step of onboarding that needs a host. */
async function openOnboarding(): Promise<{
  readonly running: RunningConsole;
  readonly visitor: Visitor;
  readonly app: Awaited<ReturnType<typeof startAppHost>>;
}> {
  const app = await startAppHost();
  onTestFinished(() => app.stop());
  app.repositories = ['acme/api', 'acme/web'].map((name) => hostARepository(name));
  const running = await startConsole({ environment: app.environment });
  onTestFinished(() => running.stop());
  app.callbackUrl = `${running.platform.url}/console/app-installation`;
  const owner = await running.platform.signUp({ organization: 'Quiet Rivers' });
  const visitor = await running.visitor();
  await visitor.open('/console/onboarding');
  await visitor.logIn(owner);
  return { running, visitor, app };
}

test.skipIf(!hasBrowser)(
  `The first button of onboarding leads to the app at the host, and back to the first page${withoutBrowser}`,
  async () => {
    const { running, visitor, app } = await openOnboarding();
    const { page } = visitor;
    const first = page.locator('main button').first();
    await first.waitFor();
    expect(await first.innerText()).toBe('Connect GitHub');
    await first.click();
    await page.getByRole('heading', { name: 'Install Plumbline' }).waitFor();
    expect(page.url()).toContain(`${app.host.url}/github-apps/plumbline-test/installations/new?state=`);
    await page.getByRole('link', { name: 'Install' }).click();
    await page.waitForURL(/\/console\/overview/);
    await page.getByText('acme is connected.').waitFor();
    await page.getByRole('link', { name: 'Sources' }).click();
    await page.getByText('acme', { exact: true }).waitFor();
    await page.getByText('app', { exact: true }).waitFor();
    const [row] = await running.platform.database.sql`select kind, account, is_active from integrations`;
    expect(row).toEqual({ kind: 'app', account: 'acme', is_active: true });
    expect(page.url()).not.toContain('state=');
  },
);

test.skipIf(!hasBrowser)(
  `A request to an owner at the host is explained, and can be finished later${withoutBrowser}`,
  async () => {
    const { running, visitor, app } = await openOnboarding();
    const { page } = visitor;
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await page.getByRole('heading', { name: 'Install Plumbline' }).waitFor();
    const state = new URL(page.url()).searchParams.get('state') ?? '';
    await visitor.open(`/console/app-installation?setup_action=request&state=${state}`);
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    app.install('acme', ['acme/api']);
    await page.getByText('The app is installed already').click();
    await page.getByLabel('Organization or user at GitHub').fill('acme');
    await page.getByRole('button', { name: 'Connect the installation' }).click();
    await page.waitForURL(/\/console\/overview/);
    const [row] = await running.platform.database.sql`select account from integrations`;
    expect(row).toEqual({ account: 'acme' });
  },
);

test.skipIf(!hasBrowser)(`A state that is not valid leads back to onboarding${withoutBrowser}`, async () => {
  const { visitor } = await openOnboarding();
  const { page } = visitor;
  visitor.provoke('400 /api/v1/admin/app-installations/connect');
  await visitor.open('/console/app-installation?code=x&installation_id=1&setup_action=install&state=invented');
  await page.getByText('began in another session').waitFor();
  expect(page.url()).not.toContain('invented');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Connect GitHub' }).waitFor();
  expect(visitor.complaints).toEqual([]);
});

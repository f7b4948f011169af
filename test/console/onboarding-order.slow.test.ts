import { expect, onTestFinished, test } from 'vitest';
import { hasBrowser, startConsole, withoutBrowser } from './console.js';

test.skipIf(!hasBrowser)(
  `Onboarding continues when the next step is known before the account is read again${withoutBrowser}`,
  async () => {
    const running = await startConsole();
    onTestFinished(() => running.stop());
    const user = await running.platform.signUp({ organization: null });
    const visitor = await running.visitor();
    const { page } = visitor;
    await visitor.open('/console');
    await visitor.logIn(user);
    await page.getByLabel('Name of the organization').fill('Quiet Rivers');
    // Whose permissions are read late leads to a page of the organization, and that page back to onboarding.
    await page.route('**/api/v1/auth/me', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('heading', { name: 'Connect a code host' }).waitFor({ timeout: 30_000 });
    expect(visitor.complaints).toEqual([]);
  },
);

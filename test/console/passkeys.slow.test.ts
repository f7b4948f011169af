import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../cli/built-command.js';
import { freePort } from '../support/free-port.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { hasBrowser, newVisitor, startBrowser, withoutBrowser, type Visitor } from './console.js';
import { lookAt, someAppearances, type Appearance } from './look.js';

describe.skipIf(!hasBrowser)(`Passkeys${withoutBrowser}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  let url: string;
  beforeAll(async () => {
    await builtCommand();
    const port = await freePort();
    url = `http://localhost:${port}`; // browsers know no passkeys for an IP address
    platform = await startTestPlatform({ environment: { PORT: String(port), APP_BASE_URL: url } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await platform.stop();
  });

  /** A person with a device that keeps passkeys, and that verifies its user, if `isUserVerified`. */
  async function visitorWithDevice(
    appearance: Appearance,
  ): Promise<Visitor & { setUserVerified(is: boolean): Promise<void> }> {
    const visitor = await newVisitor(browser, url, appearance);
    const devices = await visitor.context.newCDPSession(visitor.page);
    await devices.send('WebAuthn.enable');
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return {
      ...visitor,
      setUserVerified: async (isUserVerified) => {
        await devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
      },
    };
  }

  const logOut = async ({ page }: Visitor): Promise<void> => {
    await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();
  };

  async function addPasskey({ page }: Visitor, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  }

  async function beginLogIn({ page }: Visitor, { email, password }: TestUser): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
  }

  test.each(someAppearances)(
    'log in without a password, and as the second factor ($theme, $width)',
    async (appearance) => {
      const user = await platform.signUp();
      const visitor = await visitorWithDevice(appearance);
      const { page, open, logIn } = visitor;
      await open('/console/account');
      await logIn(user);
      await addPasskey(visitor, 'Phone');
      await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
      await page.getByRole('list', { name: 'Passkeys' }).getByText('Phone').waitFor();
      await lookAt(visitor, 'passkeys-account', appearance);

      await logOut(visitor);
      await lookAt(visitor, 'passkeys-log-in', appearance);
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.getByRole('heading', { name: 'Account' }).waitFor();

      await logOut(visitor);
      await beginLogIn(visitor, user);
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
      await lookAt(visitor, 'passkeys-second-factor', appearance);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Account' }).waitFor();

      await page.getByRole('button', { name: 'Rename Phone' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Old phone');
      await page.keyboard.press('Enter');
      await addPasskey(visitor, 'The same device again');
      await page.getByText('This device has a passkey of your account already.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete Old phone' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('With a second factor, a log-in needs a device').waitFor();

      visitor.provoke('400 /api/v1/auth/passkeys/login');
      await logOut(visitor);
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.getByText('The passkey is unknown here').waitFor();
      await lookAt(visitor, 'passkeys-refused', appearance);
    },
  );

  test('are refused without a fingerprint or a PIN', async () => {
    const user = await platform.signUp();
    const [appearance] = someAppearances;
    if (appearance === undefined) throw new Error('there is no appearance');
    const visitor = await visitorWithDevice(appearance);
    const { page, open, logIn, complaints } = visitor;
    await open('/console/account');
    await logIn(user);
    await visitor.setUserVerified(false);
    await addPasskey(visitor, 'Phone');
    await page.getByText('It was cancelled, or the device has no passkey for this page.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('are not offered for an IP address', async () => {
    const { page, open } = await newVisitor(browser, platform.url);
    await open('/console/');
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Log in with a passkey' }).count()).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issuerClient, startIssuer, type Issuer } from '../support/issuer.js';
import { testPassword } from '../support/platform.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`With an identity provider${withoutBrowser}`, () => {
  let issuer: Issuer;
  let running: RunningConsole;
  beforeAll(async () => {
    const redirectUris: string[] = [];
    issuer = await startIssuer(redirectUris);
    issuer.asks = true;
    running = await startConsole({
      environment: {
        AUTH_OIDC_ISSUER: issuer.url,
        AUTH_OIDC_CLIENT_ID: issuerClient.id,
        AUTH_OIDC_CLIENT_SECRET: issuerClient.secret,
        AUTH_OIDC_NAME: 'Example SSO',
      },
    });
    redirectUris.push(`${running.platform.url}/login/callback/oidc`);
    await issuer.rotate();
  });
  afterAll(async () => {
    await running.stop();
    await issuer.stop();
  });

  /** What the browser complained about, without the pages of the issuer, which it was sent to. */
  const complaintsOf = ({ complaints }: Visitor): readonly string[] =>
    complaints.filter((each) => !each.startsWith(`request: ${issuer.url}/`));

  const account = (name: string): NonNullable<Issuer['account']> & { readonly email: string } => ({
    ...{ sub: name, email: `${name}@example.com`, email_verified: true, name },
  });

  test('a person logs in from the log-in page, and comes back to the page that was asked for', async () => {
    issuer.account = account('kim');
    const visitor = await running.visitor();
    const { page, open } = visitor;
    await open('/console/account');
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(page.url()).toBe(`${running.platform.url}/console/account`);
    await page.getByText('Your account has no password.').waitFor();
    const ways = page.locator('section', { has: page.getByRole('heading', { name: 'Ways to log in' }) });
    await ways.getByText('kim@example.com').waitFor();
    await ways.getByRole('button', { name: 'Unlink Example SSO' }).click();
    visitor.provoke(/^409 \/api\/v1\/auth\/me\/identities\//);
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await ways.getByText('This is the last way to log in').waitFor();
    expect(complaintsOf(visitor)).toEqual([]);
  });

  test('a person without a password downloads the data, and changes the address, by a fresh log-in', async () => {
    issuer.account = account('pat');
    const visitor = await running.visitor();
    const { page, open } = visitor;
    await open('/console/account');
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Download your data' }).click();
    const dialog = page.getByRole('dialog');
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    expect((await saving).suggestedFilename()).toBe('plumbline-account.json');

    running.platform.clock.advance(601);
    visitor.provoke(/^403 \/api\/v1\/auth\/change-email/);
    await page.getByRole('button', { name: 'Change the e-mail address' }).click();
    await dialog.getByLabel('New e-mail address').fill('pat@example.org');
    await dialog.getByRole('button', { name: 'Send the mails' }).click();
    await page.getByText('This needs a proof of the last 10 minutes. Log in again').waitFor();
    await page.getByRole('button', { name: 'Log in again' }).click();
    await open('/console/account');
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click(); // which remembers pat
    await page.getByRole('button', { name: 'Change the e-mail address' }).click();
    await dialog.getByLabel('New e-mail address').fill('pat@example.org');
    await dialog.getByRole('button', { name: 'Send the mails' }).click();
    await dialog.getByText('Follow the links in the mails to both addresses').waitFor();
    expect(complaintsOf(visitor)).toEqual([]);
  });

  test('a person with an account logs in to it by password, and links the identity', async () => {
    const user = await running.platform.signUp({ email: 'sam@example.com' });
    issuer.account = account('sam');
    const visitor = await running.visitor();
    const { page, open } = visitor;
    visitor.provoke('409 /api/v1/auth/providers/oidc/login');
    await open('/console/register');
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('An account with the address sam@example.com exists.').waitFor();
    await page.getByRole('link', { name: 'Log in and link Example SSO' }).click();
    await visitor.logIn({ email: user.email, password: testPassword });
    await page.getByText('Link Example SSO, and you can log in with it from now on.').waitFor();
    await page.getByRole('button', { name: 'Link Example SSO' }).click(); // the issuer still knows the person
    await page.getByRole('button', { name: 'Unlink Example SSO' }).waitFor();

    await page.getByRole('button', { name: 'Log out' }).first().click();
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click();
    await page.getByRole('button', { name: 'Unlink Example SSO' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('Example SSO is unlinked.').waitFor();
    expect(complaintsOf(visitor)).toEqual([]);
  });

  test('a person who cancels, or whose attempt is over, can start again', async () => {
    issuer.account = account('lee');
    const visitor = await running.visitor();
    const { page, open } = visitor;
    visitor.provoke('400 /api/v1/auth/providers/oidc/login');
    await open('/console/');
    await page.getByRole('button', { name: 'Continue with Example SSO' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('The log-in was cancelled at Example SSO.').waitFor();
    expect(page.url()).toBe(`${running.platform.url}/console/login/callback/oidc`); // the answer is gone from the address
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.getByRole('button', { name: 'Continue with Example SSO' }).waitFor();
    await open('/login/callback/oidc?code=a&state=b');
    await page.getByText('The log-in has expired, or was begun in another browser.').waitFor();
    expect(complaintsOf(visitor)).toEqual([]);
  });
});

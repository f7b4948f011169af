import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { json, startCodeHostDouble } from '../platform/sources/integrations/code-host-double.js';
import { testPassword } from '../support/platform.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole } from './console.js';

describe.skipIf(!hasBrowser)(`In the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  /** The path of the link in the last mail to an address. */
  async function linkFor(address: string): Promise<string> {
    const { text } = await running.platform.lastMail(address);
    const link = new URL(/https?:\S+/.exec(text)?.[0] ?? '');
    return `${link.pathname}${link.search}`;
  }

  test('a user registers, opens the link of the mail, logs in, creates an organization and skips the code host', async () => {
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill('kim@example.com');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    for (const password of ['summer2026', 'Password12345', 'Kim2026!!!!!']) {
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText(/^(Use at least|This password is easy)/).waitFor();
    }
    expect(requests).toEqual([]); // the form refuses them by itself, so they count under no limit
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    const first = await linkFor('kim@example.com');
    await page.getByRole('button', { name: 'Send the mail again' }).click();
    await page.getByText('A new mail is on its way').waitFor();
    const second = await linkFor('kim@example.com');
    expect(second).not.toBe(first);

    await open(second);
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
    expect(page.url()).toBe(`${running.platform.url}/console/verify`); // the token is gone from the address
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail address').fill('kim@example.com');
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Log in' }).click();

    await page.getByLabel('Name of the organization').fill('Quiet Rivers');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('button', { name: 'Skip this step' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/overview');

    await reload(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn({ email: 'kim@example.com', password: testPassword });
    expect(complaints).toEqual([]);
  });

  test('a newcomer whose code host rejects the token reads why, and tests again', async () => {
    const host = await startCodeHostDouble();
    onTestFinished(() => host.stop());
    const user = await running.platform.signUp({ organization: 'Quiet Rivers' });
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/onboarding');
    await logIn(user);
    await page.getByLabel('Access token').fill(' a-token '); // as it was pasted
    await page.getByText('Self-hosted installation').click();
    await page.getByLabel('Address of its API').fill(host.url);
    host.answer(json(401, {}));
    await page.getByRole('button', { name: 'Connect and test' }).click();
    const failed = page.getByRole('alert').filter({ hasText: 'Connected, but the test failed.' });
    await failed.getByText('rejected the token').waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(1);
    host.answer(json(200, { login: 'someone' }));
    await page.getByRole('button', { name: 'Test again' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a login with an unverified account says to check the mail', async () => {
    const { platform } = running;
    await platform.json('POST', '/api/v1/auth/register', {
      body: { email: 'lee@example.com', password: testPassword },
    });
    const { page, open } = await running.visitor();
    await open('/console/overview');
    await page.getByLabel('E-mail address').fill('lee@example.com');
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('We have sent a link to lee@example.com').waitFor();
  });

  test('a wrong password is refused, the fifth one locks the login, and the form counts down', async () => {
    const user = await running.platform.signUp();
    const { page, open, logIn } = await running.visitor();
    await page.clock.install();
    await open('/console/overview');
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password 1');
    for (let attempt = 1; attempt <= 5; attempt++) {
      const answered = page.waitForResponse(/\/auth\/|browser-session/);
      await page.getByRole('button', { name: 'Log in' }).click();
      expect((await answered).status()).toBe(401);
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Log in', disabled: false }).waitFor();
    }
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Too many failed logins').waitFor();
    const button = page.getByRole('button', { name: /Log in \(in 1[45]:\d\d\)/ });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');

    running.platform.clock.advance(15 * 60);
    await page.clock.fastForward(15 * 60 * 1000);
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await logIn(user);
  });

  test('a forgotten password is reset by the link of the mail', async () => {
    const user = await running.platform.signUp();
    const { page, open, logIn } = await running.visitor();
    await open('/console/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('a mail is on its way').waitFor();
    await open(await linkFor(user.email));
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    const field = page.getByLabel('New password', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('nine loud mountains 9');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('link', { name: 'Log in' }).click();
    await logIn({ email: user.email, password: 'nine loud mountains 9' });
  });

  test('an invitation is accepted in another browser, after logging in there', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Loud Mountains' });
    const invited = await platform.signUp({ organization: null });
    const body = { email: invited.email, role: 'viewer' };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, { token: owner.accessToken, body });
    const { page, open } = await running.visitor();
    await open(await linkFor(invited.email));
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('E-mail address').fill(invited.email);
    await page.getByLabel('Password', { exact: true }).fill(invited.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Join the organization' }).click();
    await page.getByText('You have joined Loud Mountains as viewer').waitFor();
    await page.getByText('Loud Mountains').last().waitFor();
    const navigation = page.getByRole('navigation');
    expect(await navigation.getByRole('link', { name: 'Audit log' }).count()).toBe(0); // a viewer is not offered it
    await open('/console/audit-log');
    await page.getByText('audit:read').waitFor();
  });

  test('a new colleague joins three clicks after opening the mail, and no own organization is made', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Tall Pines' });
    const body = { email: 'new.hire@example.com', role: 'member' };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, { token: owner.accessToken, body });
    const { page, open, complaints } = await running.visitor();
    await open(await linkFor(body.email));
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill(body.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByRole('navigation').waitFor();
    await page.getByText('Tall Pines').last().waitFor();
    const token = await platform.json('POST', '/api/v1/auth/login', {
      body: { email: body.email, password: testPassword },
    });
    const mine = await platform.json('GET', '/api/v1/auth/me/organizations', { token: token.body.access_token });
    expect(mine.body.items).toMatchObject([{ name: 'Tall Pines', role: 'member' }]);
    expect(complaints).toEqual([]);
  });

  test('onboarding offers the invitations to the address, and one click joins', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Loud Mountains' });
    const invited = await platform.signUp({ organization: null });
    const body = { email: invited.email, role: 'viewer' };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, { token: owner.accessToken, body });
    const { page, open, logIn, complaints } = await running.visitor();
    await open('/console/');
    await logIn(invited);
    await page.getByRole('button', { name: 'Join Loud Mountains' }).click();
    await page.getByText('You have joined Loud Mountains as viewer').waitFor();
    await page.getByRole('navigation').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the owner of an address deletes an account that someone else created, with one click', async () => {
    const { platform } = running;
    const credentials = { email: 'stranger@example.com', password: testPassword };
    await platform.json('POST', '/api/v1/auth/register', { body: credentials });
    const { text } = await platform.lastMail(credentials.email);
    const { page, open, complaints } = await running.visitor();
    await open(/\/not-me\?token=[\w-]+/.exec(text)?.[0] ?? '');
    const button = page.getByRole('button', { name: 'Delete the account' });
    await button.waitFor();
    expect(page.url()).toBe(`${platform.url}/console/not-me`); // the token is gone from the address
    // Opening the page changes nothing: the account still waits for its verification.
    expect((await platform.json('POST', '/api/v1/auth/login', { body: credentials })).body).toHaveProperty('status');
    await button.click();
    await page.getByText('Your address is free again').waitFor();
    expect((await platform.json('POST', '/api/v1/auth/login', { body: credentials })).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('opening the link of a verification mail changes nothing until the button is pressed, also by keyboard', async () => {
    const { platform } = running;
    const credentials = { email: 'scanned@example.com', password: testPassword };
    await platform.json('POST', '/api/v1/auth/register', { body: credentials });
    const { page, open, complaints } = await running.visitor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await open(await linkFor(credentials.email));
    const button = page.getByRole('button', { name: 'Verify the address' });
    await button.waitFor();
    await page.waitForLoadState('networkidle');
    expect(requests).not.toContain('/api/v1/auth/verify');
    expect((await platform.json('POST', '/api/v1/auth/login', { body: credentials })).body).toHaveProperty('status');
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
    expect((await platform.json('POST', '/api/v1/auth/login', { body: credentials })).body).toHaveProperty('user');
    expect(complaints).toEqual([]);
  });

  test('a used link of a mail offers a new mail', async () => {
    const user = await running.platform.signUp();
    const { page, open } = await running.visitor();
    await open(`/verify?token=${(await running.platform.lastMail(user.email)).token}`);
    expect(await page.getByRole('button', { name: 'Send a new mail' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Send a new mail' }).waitFor();
    await page.getByText('Details').click();
    await page.getByText('Request id:').waitFor();
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { proveSession } from '../support/service-token.js';
import { totpCode } from '../support/totp.js';
import { enroll } from '../platform/identity/mfa/requests.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { lookAt, someAppearances } from './look.js';

describe.skipIf(!hasBrowser)(`The second factor${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  /** Fills in the form. A code is asked for next. */
  async function beginLogIn({ page }: Visitor, { email, password }: TestUser): Promise<void> {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  }

  test.each(someAppearances)('is set up, asked for, and removed ($theme, $width)', async (appearance) => {
    const { platform } = running;
    const user = await platform.signUp();
    const visitor = await running.visitor(appearance);
    const { page, open, logIn, provoke } = visitor;
    const logOut = async (): Promise<void> => {
      await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();
    };
    await open('/console/account');
    await logIn(user);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await lookAt(visitor, 'second-factor-set-up', appearance);
    const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
    const code = (): string => totpCode(secret, platform.clock.now());
    await dialog.getByLabel('Code of the authenticator app').fill(code());
    await dialog.getByRole('button', { name: 'Set up' }).click();
    const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    await lookAt(visitor, 'second-factor-codes', appearance);
    const recoveryCode = await codes.first().innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 of 10 recovery codes left').waitFor();
    await lookAt(visitor, 'second-factor-account', appearance);

    platform.clock.advance(30);
    await logOut();
    await beginLogIn(visitor, user);
    await page.getByLabel('Code of the authenticator app').fill('000000');
    provoke('403 /api/v1/auth/mfa/verify');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The code is wrong, or was used already.').waitFor();
    await lookAt(visitor, 'second-factor-wrong-code', appearance);
    await page.getByLabel('Code of the authenticator app').fill(code());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();

    await logOut();
    await beginLogIn(visitor, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await page.keyboard.press('Enter');
    await page.getByText('9 of 10 recovery codes left').waitFor();
    await page.getByRole('button', { name: 'Replace the codes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the codes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    await lookAt(visitor, 'second-factor-removed', appearance);
  });

  test.each(someAppearances)('is proved again for a change after 10 minutes ($theme, $width)', async (appearance) => {
    const { platform } = running;
    const user = await platform.signUp();
    const visitor = await running.visitor(appearance);
    const { page, open, logIn, provoke } = visitor;
    await open('/console/service-tokens');
    await logIn(user);
    platform.clock.advance(601);
    const create = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
    };
    const question = page.getByRole('dialog', { name: 'Is it you?' });
    provoke(/^40[13] .*\/service-tokens$/, '403 /api/v1/auth/step-up');
    await create('Refused');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('This needs a proof of the last 10 minutes').waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await question.getByLabel('Current password', { exact: true }).fill('wrong password 1');
    await question.getByRole('button', { name: 'Continue' }).click();
    await question.getByText('The current password is wrong.').waitFor();
    await lookAt(visitor, 'proof-password', appearance);
    await question.getByLabel('Current password', { exact: true }).fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByText('Copy the secret now').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();

    await proveSession(platform, user);
    const { nextCode } = await enroll(platform, user);
    platform.clock.advance(601);
    await create('Nightly');
    await question.getByLabel('Code of the authenticator app').waitFor();
    await lookAt(visitor, 'proof-code', appearance);
    await question.getByLabel('Code of the authenticator app').fill(nextCode());
    await page.keyboard.press('Enter');
    await page.getByText('Copy the secret now').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test.each(someAppearances)('is demanded by an owner, and members set one up ($theme, $width)', async (appearance) => {
    const { platform } = running;
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    const visitor = await running.visitor(appearance);
    const { page, open, logIn, provoke } = visitor;
    await open('/console/organization');
    await logIn(owner);
    provoke(/^40[39] .*\/mfa-requirement$/);
    await page.getByRole('button', { name: 'Demand a second factor' }).click();
    await page.getByText('You have no second factor, and would be locked out.').waitFor();
    await lookAt(visitor, 'demand-refused', appearance);
    const { nextCode } = await enroll(platform, owner);
    await page.getByRole('button', { name: 'Demand a second factor' }).click();
    const question = page.getByRole('dialog', { name: 'Is it you?' });
    await question.getByLabel('Code of the authenticator app').fill(nextCode());
    await page.keyboard.press('Enter');
    await page.getByText('Members need a second factor now.').waitFor();

    const colleague = await running.visitor(appearance);
    await colleague.open('/console/overview');
    await colleague.logIn(member);
    await colleague.page.getByRole('heading', { name: 'A second factor is needed' }).waitFor();
    await colleague.page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    await lookAt(colleague, 'demand-member', appearance);
    const dialog = colleague.page.getByRole('dialog');
    await colleague.page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
    await dialog.getByLabel('Code of the authenticator app').fill(totpCode(secret, platform.clock.now()));
    await dialog.getByRole('button', { name: 'Set up' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await colleague.page.getByRole('heading', { name: 'Overview' }).waitFor();

    await open('/console/people');
    await page.getByRole('button', { name: `Reset second factor of ${member.email}` }).click();
    await lookAt(visitor, 'reset-member', appearance);
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText(`${member.email}'s second factor is removed.`).waitFor();
  });
});

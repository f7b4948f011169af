import { expect, onTestFinished, test } from 'vitest';
import { hasBrowser, startConsole, withoutBrowser } from './console.js';

/** Counts the clicks of a person on pages, also across loads: the session storage of the tab keeps the number. */
const countClicks = `addEventListener('click', (event) => {
  if (event.isTrusted) sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1));
}, true);`;

test.skipIf(!hasBrowser)(
  `Somebody new is at work three clicks after the mail, in the organization that has invited them and in no other${withoutBrowser}`,
  async () => {
    // Registrations create organizations here, except by an invitation.
    const running = await startConsole({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
    onTestFinished(() => running.stop());
    const { platform } = running;
    const owner = await platform.signUp();
    const rename = { token: owner.accessToken, body: { name: 'Quiet Rivers' } };
    await platform.json('PATCH', `/api/v1/organizations/${owner.orgId}`, rename);
    const email = 'new-hire@example.com';
    const invite = { token: owner.accessToken, body: { email, role: 'member' } };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, invite);
    const { text } = await platform.lastMail(email);
    const link = /https?:\/\/\S+accept-invite\S+/.exec(text)?.[0] ?? '';

    const visitor = await running.visitor();
    const { page } = visitor;
    await visitor.context.addInitScript({ content: countClicks });
    await visitor.open(link); // the first click, in the mail
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').pressSequentially(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Robin Example');
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse battery 9 Staple');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.waitForURL(/\/console\/overview/);
    await page.getByText('Quiet Rivers').filter({ visible: true }).first().waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('clicks')`)).toBe('2');

    const { sql } = platform.database;
    expect([...(await sql`select name from organizations`)]).toEqual([{ name: 'Quiet Rivers' }]);
    const members = await sql`
      select m.role, u.full_name, u.is_verified from memberships m join users u on u.id = m.user_id
      where u.email = ${email}`;
    expect([...members]).toEqual([{ role: 'member', full_name: 'Robin Example', is_verified: true }]);
    expect(visitor.complaints).toEqual([]);
  },
);

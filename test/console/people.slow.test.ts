import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`On the People page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  async function insider(user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.open('/console/people');
    await visitor.logIn(user);
    await visitor.page.getByRole('list', { name: 'Members' }).waitFor();
    return visitor;
  }

  test('an invitation is sent, accepted in another browser, and the member gets another role and is removed', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Quiet Rivers' });
    const guest = await platform.signUp({ email: 'sam@example.com', organization: null });
    const inside = await insider(owner);
    await inside.page.getByLabel('E-mail address').fill('sam@example.com');
    await inside.page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await inside.page.getByRole('button', { name: 'Invite', exact: true }).click();
    await inside.page.getByText('… pending').waitFor();

    const { token } = await platform.lastMail('sam@example.com');
    const outside = await running.visitor();
    await outside.open(`/console/accept-invite#token=${token}`);
    await outside.page.getByRole('link', { name: 'Log in' }).click();
    await outside.page.getByLabel('E-mail address').fill(guest.email);
    await outside.page.getByLabel('Password', { exact: true }).fill(guest.password);
    await outside.page.getByRole('button', { name: 'Log in' }).click();
    await outside.page.getByRole('button', { name: /Accept|Join/ }).click();
    await outside.page.getByRole('link', { name: 'People' }).click();
    await outside.page.getByRole('list', { name: 'Members' }).waitFor();
    expect(await outside.page.getByRole('combobox').count()).toBe(0); // a viewer changes nobody

    await reload(inside.page);
    await inside.page.getByText('✓ accepted').waitFor();
    await inside.page.getByLabel('Role of sam@example.com').selectOption('admin');
    await inside.page.getByText('sam@example.com is admin now').waitFor();
    await reload(outside.page);
    await outside.page.getByRole('button', { name: 'Invite', exact: true }).waitFor();
    // Nobody changes or removes a member whose role is above their own.
    expect(await outside.page.getByLabel(`Role of ${owner.email}`).count()).toBe(0);
    expect(await outside.page.getByRole('button', { name: `Remove ${owner.email}` }).count()).toBe(0);

    await inside.page.getByRole('button', { name: 'Remove sam@example.com' }).click();
    await inside.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await inside.page.getByText('is removed').waitFor();
    await inside.page.getByLabel('Role of sam@example.com').waitFor({ state: 'detached' });
    expect([...inside.complaints, ...outside.complaints]).toEqual([]);
  });

  test('what a removed member made is named, and its service tokens and webhooks end', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const admin = await platform.signUp({ email: 'ada@example.com', invitedBy: owner, role: 'admin' });
    const { token } = await createServiceToken(platform, admin, ['teams:read'], { name: 'Nightly export' });
    await createServiceToken(platform, owner, ['teams:read'], { name: 'Of the owner' });
    const webhook = { url: 'https://hooks.example.com/in', events: ['member.joined'] };
    const hooks = `/api/v1/organizations/${owner.orgId}/webhooks`;
    await platform.json('POST', hooks, { token: admin.accessToken, body: webhook });
    const host = { provider: 'host_a', name: 'main', token: 'example-access-token' };
    await platform.json('POST', '/api/v1/admin/integrations', { token: admin.accessToken, body: host });
    const { page, complaints } = await insider(owner);
    await page.getByRole('button', { name: 'Remove ada@example.com' }).click();
    const dialog = page.getByRole('dialog');
    const list = dialog.getByRole('list', { name: 'Service tokens' });
    await list.waitFor();
    expect(await list.getByRole('listitem').allTextContents()).toEqual(['Nightly export']);
    expect(await dialog.getByRole('list', { name: 'Webhooks' }).textContent()).toBe(webhook.url);
    expect(await dialog.getByRole('list', { name: 'Code hosts' }).textContent()).toBe('main (GitHub)');
    await dialog.getByLabel('Revoke these service tokens, too').check();
    await dialog.getByLabel('Deactivate these webhooks, too').check();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('is removed').waitFor();
    expect((await platform.json('GET', '/api/v1/service-tokens/current', { token })).status).toBe(401);
    const { body } = await platform.json('GET', hooks, { token: owner.accessToken });
    expect(body.items).toMatchObject([{ url: webhook.url, is_active: false }]);
    expect(complaints).toEqual([]);
  });

  test('a removal waits until what the member made is shown, or cannot be loaded', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    await platform.signUp({ email: 'lin@example.com', invitedBy: owner });
    const { page } = await insider(owner);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/service-tokens?*', async (route) => {
      await held;
      await route.fulfill({ status: 403, contentType: 'application/json', body: '{}' });
    });
    await page.getByRole('button', { name: 'Remove lin@example.com' }).click();
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: 'Remove' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.click({ force: true });
    await dialog.waitFor();
    answer();
    await dialog.getByText('It is unknown whether something').waitFor();
    await dialog.getByRole('button', { name: 'Remove anyway' }).click();
    await page.getByText('is removed').waitFor();
  });

  test('an invitation is revoked, and its link no longer works', async () => {
    const { platform } = running;
    const guest = await platform.signUp({ email: 'kit@example.com', organization: null });
    const { page, complaints } = await insider(await platform.signUp());
    await page.getByLabel('E-mail address').fill('kit@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke the invitation of kit@example.com' }).click();
    await page.getByText('– revoked').waitFor();
    const { token } = await platform.lastMail('kit@example.com');
    const accept = { token: guest.accessToken, body: { token } };
    expect((await platform.json('POST', '/api/v1/auth/accept-invite', accept)).body.type).toMatch(/invite/);
    expect(complaints).toEqual([]);
  });

  test('an invitation is sent again, and replaces the one before', async () => {
    const { page } = await insider(await running.platform.signUp());
    await page.getByLabel('E-mail address').fill('twice@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('button', { name: 'Send again: the invitation of twice@example.com' }).click();
    await page.getByText('It replaces the one before').waitFor();
    await page.getByText('– revoked').waitFor();
    expect(await page.getByText('… pending').count()).toBe(1);
    await running.platform.lastMail('twice@example.com');
    expect(running.platform.mailbox.to('twice@example.com')).toHaveLength(2);
  });

  test('a member leaves, and then sees the page of an account without an organization', async () => {
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Loud Mountains' });
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    const { page, complaints } = await insider(member);
    await page.getByRole('button', { name: 'Leave Loud Mountains' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You belong to no organization').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the last owner cannot leave, and sees why', async () => {
    const { page } = await insider(await running.platform.signUp({ organization: 'One Person' }));
    await page.getByRole('button', { name: 'Leave One Person' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('This is the last owner').waitFor();
    await reload(page);
    await page.getByLabel(/^Role of/).selectOption('member');
    await page.getByRole('dialog', { name: 'Become member?' }).getByRole('button', { name: 'Change my role' }).click();
    await page.getByText('This is the last owner').waitFor();
    expect(await page.getByLabel(/^Role of/).inputValue()).toBe('owner');
  });
});

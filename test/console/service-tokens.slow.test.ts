import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonReply, TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`On the Service tokens page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  async function insider(user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open('/console/service-tokens');
    await visitor.logIn(user);
    await visitor.page.getByRole('heading', { name: 'Service tokens' }).waitFor();
    return visitor;
  }

  const current = (token: string): Promise<JsonReply> =>
    running.platform.json('GET', '/api/v1/service-tokens/current', { token });

  test('a token is created with scopes and an expiry, and its secret is shown once', async () => {
    const owner = await running.platform.signUp();
    const { page, complaints } = await insider(owner);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('Nightly export');
    await page.getByLabel(/^analytics:read/).check();
    await page.getByLabel(/^sync:read/).check();
    await page.getByLabel('Expires in').selectOption('30 days');
    await page.getByRole('button', { name: 'Create' }).click();

    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    const { body } = await current(secret);
    expect(body).toMatchObject({ name: 'Nightly export', scopes: ['analytics:read', 'sync:read'] });
    const days = (Date.parse(body.expires_at) - running.platform.clock.now().getTime()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    // What the keyboard would copy.
    expect(await page.evaluate('getSelection().toString()')).toBe(secret);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('The secret is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);

    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('✓ active').waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'New token' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.getByLabel('Secret', { exact: true }).count()).toBe(0);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(secret);
    expect(complaints).toEqual([]);
  });

  test('the name of another token and a missing scope are refused beside their fields', async () => {
    const owner = await running.platform.signUp();
    await createServiceToken(running.platform, owner, ['setup:read'], { name: 'Taken' });
    const { page } = await insider(owner);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('taken');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Choose or enter at least one.').waitFor();
    await page.getByLabel(/^setup:read/).check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Is the name of another service token.').waitFor();
  });

  test('a rotation shows a new secret, and the earlier one is accepted for as long as is chosen', async () => {
    const owner = await running.platform.signUp();
    const { token: first } = await createServiceToken(running.platform, owner, ['setup:read'], { name: 'Export' });
    const { page, complaints } = await insider(owner);
    await page.getByText('never used').waitFor();
    const rotate = async (overlap: string): Promise<string> => {
      await page.getByRole('button', { name: 'Rotate Export' }).click();
      await page.getByLabel('Accept earlier secrets for').selectOption(overlap);
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'Done' }).click();
      return secret;
    };
    const statuses = async (...tokens: readonly string[]): Promise<number[]> =>
      Promise.all(tokens.map(async (token) => (await current(token)).status));

    const expires = (await current(first)).body.expires_at;
    const second = await rotate('1 hour');
    await page.getByText('Earlier secrets are accepted until').waitFor();
    expect(await statuses(first, second)).toEqual([200, 200]);
    expect((await current(second)).body.expires_at).toBe(expires); // as before
    const third = await rotate('Not at all');
    await page.getByText('Earlier secrets are accepted until').waitFor({ state: 'detached' });
    expect(await statuses(first, second, third)).toEqual([401, 401, 200]);
    await page.getByText('last used').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a token is revoked after a question, and stays in the list', async () => {
    const owner = await running.platform.signUp();
    const { token } = await createServiceToken(running.platform, owner, ['setup:read'], { name: 'Export' });
    const { page, complaints } = await insider(owner);
    const press = async (answer: string): Promise<void> => {
      await page.getByRole('button', { name: 'Revoke Export' }).click();
      await page.getByRole('dialog').getByRole('button', { name: answer }).click();
    };
    await press('Cancel');
    expect((await current(token)).status).toBe(200);
    await press('Revoke');
    await page.getByText('Export is revoked.').waitFor();
    await page.getByText('– revoked').waitFor();
    expect((await current(token)).status).toBe(401);
    expect(await page.getByRole('button', { name: /^(?:Rotate|Revoke) Export/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a token whose creator is no longer an admin is marked', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    await createServiceToken(platform, admin, ['setup:read'], { name: 'Export' });
    const { page } = await insider(owner);
    await page.getByText(`by ${admin.email}`).waitFor();
    expect(await page.getByText('no longer an admin').count()).toBe(0);
    const member = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    await platform.json('DELETE', member, { token: owner.accessToken });
    await reload(page);
    await page.getByText('no longer an admin').waitFor();
  });

  test('a member is not offered it', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    const visitor = await running.visitor();
    await visitor.open('/console/service-tokens');
    await visitor.logIn(member);
    await visitor.page.getByText('service_tokens:manage').waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Service tokens' }).count()).toBe(0);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonReply, TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.js';
import { subscribe, webhooksPath } from '../platform/messages/webhooks/hooks.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { noFilters } from '../platform/figures/views/definition.js';

describe.skipIf(!hasBrowser)(`On the Webhooks page${withoutBrowser}`, () => {
  let running: RunningConsole;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());
  beforeEach(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(() => receiver.stop());

  async function insider(user: TestUser): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open('/console/webhooks');
    await visitor.logIn(user);
    await visitor.page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    return visitor;
  }

  const read = async (user: TestUser, path: string): Promise<JsonReply['body']> =>
    (await running.platform.json('GET', path, { token: user.accessToken })).body;
  const thresholdsPath = ({ orgId }: TestUser): string => `/api/v1/organizations/${orgId}/thresholds`;
  const newToken = (user: TestUser, name: string): Promise<unknown> =>
    createServiceToken(running.platform, user, ['setup:read'], { name });

  test('a webhook is created, and its secret, which is shown once, verifies what it receives', async () => {
    const owner = await running.platform.signUp();
    const { page, complaints } = await insider(owner);
    await page.getByText('There are no webhooks yet').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByLabel(/^service_token\.created/).check();
    await page.getByLabel('Description').fill('Tells the chat.');
    await page.getByRole('button', { name: 'Create' }).click();

    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('The secret is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('✓ active').waitFor();
    await page.getByText('Tells the chat.').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(secret);

    receiver.secret = secret; // other signatures are answered 401, and stay outstanding
    await newToken(owner, 'Export');
    await running.platform.running.webhooks.drain();
    expect(receiver.received.map(({ type }) => type)).toEqual(['service_token.created']);
    await page.getByRole('button', { name: `Deliveries ${receiver.url}` }).click();
    await page.getByText('Nothing is outstanding').waitFor();
    const accepted = page.getByRole('list', { name: 'Accepted deliveries' });
    await accepted.getByText('service_token.created').waitFor();
    await accepted.getByText('1 attempt').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a refused URL and a missing event are explained beside their fields', async () => {
    const owner = await running.platform.signUp();
    const { page } = await insider(owner);
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Choose or enter at least one.').waitFor();
    await page.getByLabel(/^member\.joined/).check();
    await page.getByLabel('URL', { exact: true }).fill('https://hooks.example.com/#part');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Must not contain a fragment').waitFor();
    expect(await page.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  });

  test('a webhook is changed and made inactive with the keyboard, and only what differs is sent', async () => {
    const owner = await running.platform.signUp();
    await subscribe(running.platform, owner, receiver, ['member.joined']);
    const { page, complaints } = await insider(owner);
    await page.getByRole('button', { name: `Edit ${receiver.url}` }).press('Enter');
    await page.getByLabel('Description').fill('Old chat');
    await page.getByLabel(/^member\.removed/).press('Space');
    await page.getByLabel('Active', { exact: true }).press('Space');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByLabel('Description').press('Enter');
    expect((await sent).postDataJSON()).toEqual({
      is_active: false,
      description: 'Old chat',
      events: ['member.joined', 'member.removed'],
    });
    await page.getByText('– inactive').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await read(owner, webhooksPath(owner))).items).toMatchObject([
      { url: receiver.url, is_active: false, description: 'Old chat', events: ['member.joined', 'member.removed'] },
    ]);
    await page.getByRole('button', { name: `Edit ${receiver.url}` }).click();
    await page.getByLabel('URL', { exact: true }).fill(`${receiver.url}/new`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`${receiver.url}/new is saved.`).waitFor();
    expect((await read(owner, webhooksPath(owner))).items[0].url).toBe(`${receiver.url}/new`);
    expect(complaints).toEqual([]);
  });

  test('a rotation shows a new secret, and the previous one signs for as long as is chosen', async () => {
    const owner = await running.platform.signUp();
    await subscribe(running.platform, owner, receiver, ['service_token.created']);
    const { page, complaints } = await insider(owner);
    const rotate = async (overlap: string): Promise<string> => {
      await page.getByRole('button', { name: `Rotate ${receiver.url}` }).click();
      await page.getByLabel('Also sign with the previous secret for').selectOption(overlap);
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'Done' }).click();
      return secret;
    };
    const signatures = async (name: string): Promise<number | undefined> => {
      await newToken(owner, name);
      await running.platform.running.webhooks.drain();
      return receiver.received.at(-1)?.headers['webhook-signature']?.split(' ').length;
    };

    await rotate('1 hour');
    await page.getByText('also signed with a previous secret until').waitFor();
    expect(await signatures('During the overlap')).toBe(2); // the receiver accepts the previous one
    receiver.secret = await rotate('Not at all');
    await page.getByText('also signed with a previous secret until').waitFor({ state: 'detached' });
    expect(await signatures('Afterwards')).toBe(1);
    const { id } = (await read(owner, webhooksPath(owner))).items[0];
    expect((await read(owner, webhooksPath(owner, `/${id}/deliveries`))).items).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a delivery that the URL refuses is listed with its error, and is sent again', async () => {
    const owner = await running.platform.signUp();
    await subscribe(running.platform, owner, receiver, ['service_token.created']);
    receiver.answer = (response) => response.writeHead(500).end();
    await newToken(owner, 'Export');
    await running.platform.running.webhooks.drain();
    await running.platform.database.sql`
      update webhook_deliveries set failed_at = created_at, attempts = 16
      where webhook_id in (select id from webhooks where org_id = ${owner.orgId})`;
    const { page, complaints } = await insider(owner);
    await page.getByRole('button', { name: `Deliveries ${receiver.url}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('✗ failed').waitFor();
    await dialog.getByText('500').waitFor();
    await dialog.getByText('16 attempts').waitFor();
    await dialog.getByText('Payload').click();
    await dialog.getByText('"name":"Export"').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    receiver.answer = (response) => response.writeHead(204).end();
    await dialog.getByRole('button', { name: 'Send again service_token.created' }).click();
    await page.getByText('is sent again soon').waitFor();
    await running.platform.running.webhooks.drain();
    await dialog.getByRole('button', { name: 'Load again' }).click();
    await dialog.getByText('Nothing is outstanding').waitFor();
    expect(receiver.received.at(-1)?.data['name']).toBe('Export');
    expect(complaints).toEqual([]);
  });

  test('a URL is tested, and the page says what it answered and why the server has deactivated its webhook', async () => {
    const owner = await running.platform.signUp();
    await subscribe(running.platform, owner, receiver, ['service_token.created']);
    const { page, complaints } = await insider(owner);
    const press = (): Promise<void> => page.getByRole('button', { name: `Test ${receiver.url}` }).click();
    await press();
    await page.getByText(`${receiver.url} accepts the test event.`).waitFor();
    expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test']);
    receiver.answer = (response) => response.writeHead(410).end();
    await press();
    await page.getByText(`The test of ${receiver.url} failed: The URL answered 410 (gone).`).waitFor();

    await newToken(owner, 'Export');
    await running.platform.running.webhooks.drain();
    await page.reload();
    await page.getByText('The server has deactivated it, because its URL answered 410 (gone).').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a webhook is deleted after a question', async () => {
    const owner = await running.platform.signUp();
    await subscribe(running.platform, owner, receiver, ['member.joined']);
    const { page, complaints } = await insider(owner);
    const press = async (answer: string): Promise<void> => {
      await page.getByRole('button', { name: `Delete ${receiver.url}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: answer }).click();
    };
    await press('Cancel');
    expect((await read(owner, webhooksPath(owner))).items).toHaveLength(1);
    await press('Delete');
    await page.getByText(`${receiver.url} is deleted.`).waitFor();
    await page.getByText('There are no webhooks yet').waitFor();
    expect((await read(owner, webhooksPath(owner))).items).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a threshold is created, listed and deleted', async () => {
    const owner = await running.platform.signUp();
    const { page, complaints } = await insider(owner);
    await page.getByText('There are no thresholds yet').waitFor();
    await page.getByRole('button', { name: 'New threshold' }).click();
    await page.getByLabel('Name').fill('Slow reviews');
    await page.getByLabel('Measure').selectOption('Completed work units');
    await page.getByLabel('Crossed when it is').selectOption('below');
    await page.getByLabel('Value', { exact: true }).first().fill('2.5');
    await page.getByLabel('Days').fill('14');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Completed work units below 2.5 in 14 days').waitFor();
    await page.getByText('not evaluated yet').waitFor();
    expect((await read(owner, thresholdsPath(owner))).items).toMatchObject([
      {
        name: 'Slow reviews',
        definition: { measure: 'throughput', direction: 'below', value: 2.5, window_days: 14, filters: noFilters },
      },
    ]);
    await page.getByRole('button', { name: 'Delete Slow reviews' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no thresholds yet').waitFor();
    expect((await read(owner, thresholdsPath(owner))).items).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a member is not offered it', async () => {
    const { platform } = running;
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    const visitor = await running.visitor();
    await visitor.open('/console/webhooks');
    await visitor.logIn(member);
    await visitor.page.getByText('webhooks:manage').waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  });
});

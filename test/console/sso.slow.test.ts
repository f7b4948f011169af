import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../platform/identity/sso/requests.js';
import { startDnsServer, type DnsServer } from '../support/dns-server.js';
import { issuerClient, startIssuer, type Issuer } from '../support/issuer.js';
import type { TestUser } from '../support/platform.js';
import { hasBrowser, reload, startConsole, withoutBrowser, type RunningConsole } from './console.js';
import { lookAt, someAppearances } from './look.js';

describe.skipIf(!hasBrowser)(`Single sign-on on the page of the organization${withoutBrowser}`, () => {
  let dns: DnsServer;
  let issuer: Issuer;
  let running: RunningConsole;
  beforeAll(async () => {
    dns = await startDnsServer();
    issuer = await startIssuer([]);
    running = await startConsole({ environment: { DNS_SERVERS: dns.address } });
  });
  afterAll(async () => {
    await running.stop();
    await issuer.stop();
    await dns.stop();
  });

  const sso = async ({ orgId, accessToken: token }: TestUser): Promise<unknown> =>
    (await running.platform.json('GET', `/api/v1/organizations/${orgId}/sso`, { token })).body;

  test.each(someAppearances)('is set up, its domain verified, and removed ($theme, $width)', async (appearance) => {
    const owner = await running.platform.signUp();
    const path = `/api/v1/organizations/${owner.orgId}/sso`;
    const mistyped = `${crypto.randomUUID()}.exmaple`;
    const domain = `${crypto.randomUUID().replaceAll('-', '')}.example`; // wider than a narrow screen, in one word
    const visitor = await running.visitor(appearance);
    const { page, open, logIn, provoke, complaints } = visitor;
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Single sign-on' }) });
    const row = card.getByRole('listitem').filter({ hasText: domain });
    const domains = card.getByLabel('Domains of e-mail addresses');
    const save = card.getByRole('button', { name: 'Save' });
    const unproven = card.getByRole('alert').filter({ hasText: 'or is not visible yet' });
    await open('/console/organization');
    await logIn(owner);
    await card.getByText('Set up', { exact: true }).click();
    await card.getByLabel('Issuer').fill(issuer.url);
    await card.getByLabel('Client id').fill(issuerClient.id);
    await card.getByLabel('Client secret').fill(issuerClient.secret);
    await domains.fill(mistyped);
    await save.click();
    await page.getByText('Single sign-on is saved.').waitFor();
    provoke(`409 ${path}/domains/${mistyped}/verify`, `409 ${path}/domains/${domain}/verify`, `422 ${path}`);
    await card.getByRole('button', { name: `Verify ${mistyped}` }).click();
    await unproven.waitFor();
    await domains.fill(domain);
    await save.click();
    await row.waitFor();
    await expect.poll(() => unproven.count()).toBe(0);

    await card.getByLabel('Members must log in by SSO').check();
    await card.getByLabel('Recovery owner').selectOption(owner.email);
    await save.click();
    await card.getByText('Needs a verified domain; verify one first.').waitFor();
    const verify = row.getByRole('button', { name: `Verify ${domain}` });
    await verify.click();
    await unproven.waitFor();
    const [name = '', value = ''] = await row.locator('code').allInnerTexts();
    expect(await unproven.innerText()).toContain(`The TXT record ${name} does not have the value ${value}`);
    await row.getByText('not verified', { exact: true }).waitFor();
    await lookAt(visitor, 'sso-unverified', appearance);
    dns.records.set(name, [value]);
    await verify.click();
    await row.getByText('verified', { exact: true }).waitFor();
    await page.getByText(`${domain} is verified.`).waitFor();
    expect(await unproven.count()).toBe(0);
    expect(await verify.count()).toBe(0);
    expect(await sso(owner)).toMatchObject({
      connection: { issuer: issuer.url, client_id: issuerClient.id, auto_join: true, is_required: false },
      domains: [{ domain, verified_at: expect.any(String) as string }],
    });
    await lookAt(visitor, 'sso-verified', appearance);

    await card.getByRole('button', { name: 'Remove single sign-on' }).click();
    const question = page.getByRole('dialog', { name: 'Remove SSO?' });
    await question.getByText('Their memberships stay.').waitFor();
    await lookAt(visitor, 'sso-remove', appearance);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await sso(owner)).toMatchObject({ connection: { issuer: issuer.url } });
    await card.getByRole('button', { name: 'Remove single sign-on' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('SSO is removed.').waitFor();
    await card.getByText('Set up', { exact: true }).waitFor();
    expect(await row.count()).toBe(0);
    expect(await sso(owner)).toMatchObject({ connection: null, domains: [] });
    await lookAt(visitor, 'sso-removed', appearance);
    expect(complaints).toEqual([]);
  });

  test.each(someAppearances)('is required once there is a recovery owner ($theme, $width)', async (appearance) => {
    const { platform } = running;
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    const domain = await connect({ platform, issuer, dns, owners: [owner], stop: () => Promise.resolve() }, owner);
    const colleague = await running.visitor(appearance);
    await colleague.open('/console/overview');
    await colleague.logIn(member);
    await colleague.page.getByRole('heading', { name: 'Overview' }).waitFor();

    const visitor = await running.visitor(appearance);
    const { page, open, logIn, provoke, complaints } = visitor;
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Single sign-on' }) });
    const save = card.getByRole('button', { name: 'Save' });
    await open('/console/organization');
    await logIn(owner);
    await card.getByText('can log in by SSO').waitFor();
    await card.getByText('Change', { exact: true }).click();
    provoke(`422 /api/v1/organizations/${owner.orgId}/sso`);
    await card.getByLabel('Members must log in by SSO').check();
    await save.click();
    await card.getByText('Is needed when SSO is required.').waitFor();
    await lookAt(visitor, 'sso-without-recovery', appearance);
    await card.getByLabel('Recovery owner').selectOption(owner.email);
    await save.click();
    await page.getByText('Single sign-on is saved.').waitFor();
    await card.getByText('must log in by SSO', { exact: true }).waitFor();
    expect(await sso(owner)).toMatchObject({
      connection: { is_required: true, recovery_owner_id: owner.userId },
      domains: [{ domain }],
    });
    await lookAt(visitor, 'sso-required', appearance);

    await reload(page);
    await card.getByText('must log in by SSO', { exact: true }).waitFor();
    await card.getByText('Change', { exact: true }).click();
    expect(await card.getByLabel('Members must log in by SSO').isChecked()).toBe(true);
    await expect.poll(() => card.getByLabel('Recovery owner').inputValue()).toBe(owner.userId);
    expect(complaints).toEqual([]);

    colleague.provoke(/^401 /);
    await colleague.open('/console/people');
    await colleague.page.getByLabel('Password', { exact: true }).waitFor();
    await lookAt(colleague, 'sso-required-member', appearance);
  });
});

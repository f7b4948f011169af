import { expect, onTestFinished, test } from 'vitest';
import { fill, unit } from '../analytics/graphql/served.js';
import { accountAt, connect } from '../platform/identity/sso/requests.js';
import { startDnsServer } from '../support/dns-server.js';
import { startIssuer } from '../support/issuer.js';
import { hasBrowser, startConsole, withoutBrowser, type Visitor } from './console.js';

test.skipIf(!hasBrowser)(
  `A stranger with the log-in link of an organization sees its first chart after the log-in at its identity provider${withoutBrowser}`,
  async () => {
    const dns = await startDnsServer();
    onTestFinished(() => dns.stop());
    const redirectUris: string[] = [];
    const issuer = await startIssuer(redirectUris);
    onTestFinished(() => issuer.stop());
    const running = await startConsole({ environment: { DNS_SERVERS: dns.address } });
    onTestFinished(() => running.stop());
    const { platform } = running;
    const owner = await platform.signUp({ organization: 'Quiet Rivers' });
    const organization = `/api/v1/organizations/${owner.orgId}`;
    const { accessToken: token } = owner;
    await platform.json('POST', '/api/v1/auth/onboarding/skip-integration', { token });
    await platform.json('POST', `${organization}/teams`, { token, body: { id: 'core', members: ['grace'] } });
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await fill(platform.databaseUri, owner.orgId, [unit({ id: 'a', day: yesterday })]);
    redirectUris.push(`${platform.url}/login/sso/${owner.orgId}/callback`);
    await issuer.rotate();
    const stage = { platform, issuer, dns, owners: [owner], stop: () => Promise.resolve() };
    const domain = await connect(stage, owner);

    const settings = await running.visitor();
    await settings.open('/console/organization');
    await settings.logIn(owner);
    await settings.page.getByText('Change', { exact: true }).click();
    await settings.page.getByLabel('Claim with groups').fill('groups');
    const teams = settings.page.getByLabel('Teams of groups');
    await teams.fill('developers');
    await settings.page.getByRole('button', { name: 'Save', exact: true }).click();
    await settings.page.getByText('Write one group a line, with the id of a team').waitFor();
    settings.provoke(`422 ${organization}/sso`);
    await teams.fill('developers = nobody');
    await settings.page.getByRole('button', { name: 'Save', exact: true }).click();
    await settings.page.getByText('is not the id of a team').waitFor();
    await teams.fill('CN=developers = core');
    await settings.page.getByRole('button', { name: 'Save', exact: true }).click();
    await settings.page.getByText('Single sign-on is saved.').waitFor();
    expect(settings.complaints).toEqual([]);

    const account = accountAt(domain, { name: 'Robin Example' });
    issuer.account = account;
    issuer.asks = true;
    issuer.forge = (claims) => ({ ...claims, groups: ['CN=developers'] });
    const visitor = await running.visitor();
    const { page } = visitor;
    await visitor.open(`/login/sso/${owner.orgId}`);
    await page.getByRole('link', { name: 'Continue' }).click(); // at the issuer
    await page.getByRole('heading', { name: 'Your quarter', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/quarter');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Flow of work', exact: true }).waitFor();
    await page.getByText('Quiet Rivers').filter({ visible: true }).first().waitFor();
    expect(await page.locator('.totals div', { hasText: 'Work units' }).locator('dd').first().innerText()).toBe('1');
    const members = await platform.database.sql`
      select m.role, u.full_name, u.password_hash from memberships m join users u on u.id = m.user_id
      where u.email = ${account.email}`;
    expect([...members]).toEqual([{ role: 'member', full_name: 'Robin Example', password_hash: null }]);
    const team = await platform.json('GET', `${organization}/teams/core`, { token });
    expect(team.body.members).toEqual(['grace', account.email]);
    const ownComplaints = ({ complaints }: Visitor): readonly string[] =>
      complaints.filter((each) => !each.startsWith(`request: ${issuer.url}/`));
    expect(ownComplaints(visitor)).toEqual([]);

    // The provider can begin the log-in, too, by a link and by a form, and choose the page.
    const begun = { iss: issuer.url, login_hint: account.email, target_link_uri: `${platform.url}/console/explore` };
    const address = `${platform.url}/login/sso/${owner.orgId}`;
    const fields = Object.entries(begun).map(([name, value]) => `<input name="${name}" value="${value}">`);
    const form = `<form method="post" action="${address}">${fields.join('')}<button>Plumbline</button></form>`;
    for (const html of [`<a href="${address}?${new URLSearchParams(begun).toString()}">Plumbline</a>`, form]) {
      const another = await running.visitor();
      const hinted = another.page.waitForRequest((request) => request.url().includes('login_hint='));
      await another.page.setContent(html);
      await another.page.getByText('Plumbline').click();
      expect(new URL((await hinted).url()).searchParams.get('login_hint')).toBe(account.email);
      await another.page.getByRole('link', { name: 'Continue' }).click(); // at the issuer
      await another.page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();
      expect(ownComplaints(another)).toEqual([]);
    }
  },
);

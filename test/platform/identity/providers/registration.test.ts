import { describe, expect, it, onTestFinished } from 'vitest';
import { startIssuerForTest, type Issuer } from '../../../support/issuer.js';
import type { TestPlatform } from '../../../support/platform.js';
import { logInAs, newAccount, redirectUriOf, startPlatformFor } from './requests.js';

async function start(environment: Record<string, string>): Promise<{ issuer: Issuer; platform: TestPlatform }> {
  const issuer = await startIssuerForTest([redirectUriOf('oidc')]);
  const platform = await startPlatformFor(issuer, environment);
  onTestFinished(() => platform.stop());
  return { issuer, platform };
}

async function invite(platform: TestPlatform, email: string): Promise<void> {
  const owner = await platform.signUp({ email: `owner-${crypto.randomUUID()}@a.example` });
  const reply = await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, {
    ...{ token: owner.accessToken, body: { email, role: 'member' } },
  });
  expect(reply.status).toBe(201);
}

describe('the first log-in with an identity', () => {
  it('creates an organization where a registration does', async () => {
    const { issuer, platform } = await start({ AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' });
    const { body } = await logInAs(platform, issuer, newAccount());
    expect(body).toMatchObject({ needs_onboarding: false, user: { role: 'owner' } });
    const [organization] = await platform.database
      .sql`select name from organizations where id = ${String(body.user.org_id)}`;
    expect(organization).toEqual({ name: 'My Organization' });
  });

  it('creates none for an address with an invite, which is offered instead', async () => {
    const { issuer, platform } = await start({ AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' });
    const account = newAccount();
    await invite(platform, account.email);
    const { body } = await logInAs(platform, issuer, account);
    expect(body).toMatchObject({ needs_onboarding: true, user: { org_id: null } });
    const invites = await platform.json('GET', '/api/v1/auth/me/invites', { token: String(body.access_token) });
    expect(invites.body.items).toHaveLength(1);
  });

  it('is refused where nobody can register, and for an address of another domain', async () => {
    for (const policy of ['closed', 'invite', 'domains:a.example']) {
      const { issuer, platform } = await start({ AUTH_REGISTRATION: policy });
      const reply = await logInAs(platform, issuer, newAccount());
      expect(reply).toMatchObject({ status: 403, body: { type: '/problems/registration-closed' } });
      expect(await platform.database.sql`select 1 from users`).toHaveLength(0);
    }
  });

  it('is accepted for an address of the domain, and for one with an invite', async () => {
    const { issuer, platform } = await start({ AUTH_REGISTRATION: 'domains:a.example' });
    const inDomain = newAccount();
    const reply = await logInAs(platform, issuer, { ...inDomain, email: `${inDomain.sub}@a.example` });
    expect(reply.status).toBe(200);
    const invited = newAccount();
    await invite(platform, invited.email);
    expect((await logInAs(platform, issuer, invited)).status).toBe(200);
  });

  it('reports an existing account also where nobody can register', async () => {
    const { issuer, platform } = await start({ AUTH_REGISTRATION: 'domains:a.example' });
    const { email } = await platform.signUp({ email: 'robin@a.example' });
    await platform.database.sql`update users set email = 'robin@b.example' where email = ${email}`;
    const reply = await logInAs(platform, issuer, newAccount({ email: 'robin@b.example' }));
    expect(reply).toMatchObject({ status: 409, body: { type: '/problems/account-exists' } });
  });
});

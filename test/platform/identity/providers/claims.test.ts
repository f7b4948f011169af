import { describe, expect, it, onTestFinished } from 'vitest';
import { issuerClient, startIssuerForTest, type Issuer } from '../../../support/issuer.js';
import type { TestPlatform } from '../../../support/platform.js';
import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { systemClock } from '../../../../src/platform/clock.js';
import { attemptSecrets } from '../../../../src/platform/identity/providers/identity-provider.js';
import { openIdProvider } from '../../../../src/platform/identity/providers/open-id-provider.js';
import { logInAs, newAccount, redirectUriOf, startPlatformFor } from './requests.js';

/** The verified address that a provider with these settings finds in the ID token. */
async function emailFor(vouchesForAddresses: boolean, claims: Record<string, unknown>): Promise<string | null> {
  const redirectUri = redirectUriOf('oidc');
  const issuer = await startIssuerForTest([redirectUri]);
  issuer.account = { sub: 'robin' };
  issuer.forge = (each) => ({ ...each, ...claims });
  const provider = openIdProvider(
    {
      ...{ id: 'microsoft', name: 'Microsoft', url: issuer.url, vouchesForAddresses },
      ...{ clientId: issuerClient.id, clientSecret: issuerClient.secret },
    },
    outboundFetch('any'),
    systemClock,
  );
  const secrets = attemptSecrets('a secret', 'x'.repeat(43), redirectUri);
  const url = await provider.authorizationUrl(secrets);
  const { searchParams } = await issuer.authorize(url.href);
  return (await provider.identify(searchParams, secrets)).email;
}

describe('the address of an account at Microsoft', () => {
  const email = 'robin@example.com';

  it.each([
    [{ email }, false],
    [{ email, xms_edov: false }, false],
    [{ email, xms_edov: true }, true],
    [{ email, xms_edov: '1' }, true],
    [{ email, email_verified: true }, true],
    [{ email, email_verified: 'false' }, false],
  ])('counts in an open tenant if it is the domain owner who vouches for it: %j', async (claims, counts) => {
    expect(await emailFor(false, claims)).toBe(counts ? email : null);
  });

  it('counts in the tenant of the operator', async () => {
    expect(await emailFor(true, { email })).toBe(email);
  });
});

describe('a self-managed GitLab', () => {
  it('logs in by discovery', async () => {
    const issuer: Issuer = await startIssuerForTest([redirectUriOf('gitlab')]);
    const platform: TestPlatform = await startPlatformFor(issuer, {
      AUTH_GITLAB_URL: issuer.url,
      AUTH_GITLAB_CLIENT_ID: issuerClient.id,
      AUTH_GITLAB_CLIENT_SECRET: issuerClient.secret,
    });
    onTestFinished(() => platform.stop());
    const reply = await logInAs(platform, issuer, newAccount(), { provider: 'gitlab' });
    expect(reply.body.user).toMatchObject({ auth_provider: 'gitlab', is_verified: true });
    expect((await platform.json('GET', '/api/v1/auth/providers')).body.items).toEqual([
      { provider: 'gitlab', name: 'GitLab' },
      { provider: 'oidc', name: 'Example SSO' },
    ]);
  });
});

import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { issuerClient, startIssuerForTest, type Issuer } from '../../../support/issuer.js';
import type { TestPlatform } from '../../../support/platform.js';
import { outboundFetch, type OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { systemClock } from '../../../../src/platform/clock.js';
import {
  attemptSecrets,
  type IdentityProvider,
} from '../../../../src/platform/identity/providers/identity-provider.js';
import { openIdProvider } from '../../../../src/platform/identity/providers/open-id-provider.js';
import { issuerOf } from '../../../../src/platform/identity/sso/connection-issuer.js';
import { secretContext } from '../../../../src/platform/identity/sso/sso-connections.store.js';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
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

const google = 'https://accounts.google.com';
const client = { clientId: issuerClient.id, clientSecret: issuerClient.secret };

/** Google as the operator configures it. */
const operatorsGoogle = (outbound: OutboundFetch): Pick<IdentityProvider, 'authorizationUrl' | 'identify'> =>
  openIdProvider(
    { ...{ id: 'google', name: 'Google', url: google, vouchesForAddresses: false }, ...client },
    outbound,
    systemClock,
  );

/** Google as an organization connects it for SSO. */
function googleOfAnOrganization(outbound: OutboundFetch): ReturnType<typeof operatorsGoogle> {
  const secrets = createSecretBox(Buffer.alloc(32, 7));
  const issuer = issuerOf(
    {
      ...{ id: 'a connection', issuer: google, client_id: client.clientId },
      client_secret_sealed: secrets.seal(client.clientSecret, secretContext('a connection')),
    },
    { outbound, secrets, log: pino({ level: 'silent' }) },
  );
  return {
    authorizationUrl: async (attempt) => issuer.authorizationUrl(await issuer.discover(), attempt),
    identify: async (callback, attempt) => (await issuer.prove(callback, attempt)).identity,
  };
}

/** The verified address of an account at an issuer that answers under the name of Google. */
async function emailAtGoogle(open: typeof operatorsGoogle, claims: Record<string, unknown>): Promise<string | null> {
  const redirectUri = redirectUriOf('google');
  const issuer = await startIssuerForTest([redirectUri]);
  issuer.account = { sub: 'robin' };
  issuer.forge = (each) => ({ ...each, iss: google, email_verified: true, ...claims });
  const send = outboundFetch('any');
  const provider = open(async (url, request) => {
    const reply = await send(url.replace(google, issuer.url), request);
    return new Response((await reply.text()).replaceAll(issuer.url, google), reply);
  });
  const secrets = attemptSecrets('a secret', 'x'.repeat(43), redirectUri);
  const url = await provider.authorizationUrl(secrets);
  const { searchParams } = await issuer.authorize(url.href.replace(google, issuer.url));
  searchParams.set('iss', google);
  return (await provider.identify(searchParams, secrets)).email;
}

describe.each([
  ['of the operator', operatorsGoogle],
  ['of an organization', googleOfAnOrganization],
])('the address of an account at Google, a provider %s', (_whose, open) => {
  const email = 'robin@corp.example';

  it.each([
    [{ email }, false],
    [{ email, hd: 'other.example' }, false],
    [{ email, hd: 'corp.example', email_verified: false }, false],
    [{ email, hd: 'corp.example' }, true],
    [{ email: 'robin@gmail.com' }, true],
    [{ email: 'robin@googlemail.com' }, true],
  ])('counts if Google is the authority for its domain: %j', async (claims, counts) => {
    expect(await emailAtGoogle(open, claims)).toBe(counts ? claims.email : null);
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

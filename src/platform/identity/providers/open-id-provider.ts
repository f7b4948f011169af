import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type * as OpenIdClient from 'openid-client';
import { after, type Clock } from '../../clock.js';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';
import type { IdentityProvider } from './identity-provider.js';
import {
  customFetchOf,
  exchangeCode,
  failureOf,
  nameOf,
  openIdClient,
  preparationsFor,
  verifiedEmail,
} from './provider-calls.js';

/** For how long a log-in begins at the address that the metadata named. */
const metadataSeconds = 300;

type Claims = Readonly<Record<string, unknown>>;

/** A provider that speaks OpenID Connect, found by the discovery of its issuer. */
export function openIdProvider(
  { id, name, url, clientId, clientSecret, vouchesForAddresses }: IdentityProviderSettings,
  outbound: OutboundFetch,
  clock: Clock,
): IdentityProvider {
  const issuer = new URL(url);
  const discover = async (): Promise<OpenIdClient.Configuration> => {
    const client = await openIdClient();
    const options = {
      [client.customFetch]: customFetchOf(outbound),
      execute: preparationsFor(client, issuer),
    };
    const authentication: OpenIdClient.ClientAuth = (server, ...rest) => {
      // The default is Basic (OpenID Connect Discovery 1.0, section 3).
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const method = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
      method(clientSecret)(server, ...rest);
    };
    return client.discovery(issuer, clientId, clientSecret, authentication, options).catch((error: unknown) => {
      throw failureOf(error);
    });
  };
  const remembered = rememberFor(metadataSeconds, discover, clock);
  return {
    id,
    name,
    authorizationUrl: async ({ state, nonce, verifier, redirectUri }) => {
      const client = await openIdClient();
      const configuration = await remembered();
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    identify: async (callback, secrets) => {
      const client = await openIdClient();
      // Not the remembered one: its keys may be those from before a rotation.
      const configuration = await discover();
      const tokens = await exchangeCode(client, { configuration, outbound }, callback, secrets, true);
      const claims = tokens.claims();
      if (claims === undefined) throw failureOf(new Error('the reply has no ID token'));
      const profile = await profileOf(client, configuration, tokens.access_token, claims);
      const { email, email_verified: isVerified, xms_edov: isOfDomainOwner } = profile;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: verifiedEmail(email, vouchesForAddresses || isTrue(isVerified) || isTrue(isOfDomainOwner)),
        fullName: nameOf(profile['name']),
      };
    },
  };
}

/** The claims about the person: those of the ID token, or of the UserInfo endpoint if they lack the address. */
async function profileOf(
  client: typeof OpenIdClient,
  configuration: OpenIdClient.Configuration,
  accessToken: string,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  if (claims['email'] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const profile = await client.fetchUserInfo(configuration, accessToken, claims.sub).catch((error: unknown) => {
    throw failureOf(error);
  });
  return { ...claims, ...profile };
}

/** Some issuers write booleans as texts or numbers. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === 1 || claim === '1';
}

/** Repeats a call only after some time, or if it has failed. */
function rememberFor<T>(seconds: number, call: () => Promise<T>, clock: Clock): () => Promise<T> {
  let latest: { readonly result: Promise<T>; readonly until: Date } | null = null;
  return () => {
    if (latest !== null && latest.until > clock.now()) return latest.result;
    const current = { result: call(), until: after(clock.now(), seconds) };
    latest = current;
    current.result.catch(() => {
      if (latest === current) latest = null;
    });
    return current.result;
  };
}

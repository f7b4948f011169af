import { domainOfAddress } from '@plumbline/contract/email-address';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type * as OpenIdClient from 'openid-client';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';
import type { AttemptSecrets, ProvenIdentity } from './identity-provider.js';
import {
  customFetchOf,
  exchangeCode,
  failureOf,
  nameOf,
  openIdClient,
  preparationsFor,
  verifiedEmail,
} from './provider-calls.js';

export type Claims = Readonly<Record<string, unknown>>;

/** What an issuer has proved about a person: the identity, and all claims that it makes. */
export interface ProvenClaims {
  readonly identity: ProvenIdentity;
  readonly claims: Claims;
}

/** An issuer of OpenID Connect. */
export interface OpenIdIssuer {
  /** Reads the metadata of the issuer. @throws ProviderFailure */
  discover(): Promise<OpenIdClient.Configuration>;
  /** The address at which a log-in begins. @param hint the account, as somebody has named it */
  authorizationUrl(configuration: OpenIdClient.Configuration, secrets: AttemptSecrets, hint?: string): Promise<URL>;
  /**
   * Exchanges the answer of the issuer for what it proves.
   *
   * @param wanted a claim beside the address; if the ID token lacks one of them, the UserInfo endpoint is asked
   * @throws ProviderRefusal, ProviderFailure
   */
  prove(callback: URLSearchParams, secrets: AttemptSecrets, wanted?: string): Promise<ProvenClaims>;
}

export function openIdIssuer(
  {
    url,
    clientId,
    clientSecret,
    vouchesForAddresses,
  }: Pick<IdentityProviderSettings, 'url' | 'clientId' | 'clientSecret' | 'vouchesForAddresses'>,
  outbound: OutboundFetch,
): OpenIdIssuer {
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
  return {
    discover,
    authorizationUrl: async (configuration, { state, nonce, verifier, redirectUri }, hint) => {
      const client = await openIdClient();
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(hint !== undefined && { login_hint: hint }),
      };
      try {
        return client.buildAuthorizationUrl(configuration, parameters);
      } catch (error) {
        throw failureOf(error); // the metadata names no page: browsers go there, so the library allows http and https alone
      }
    },
    prove: async (callback, secrets, wanted = 'email') => {
      const client = await openIdClient();
      // Read again: the keys of an earlier reply may be those from before a rotation.
      const configuration = await discover();
      const tokens = await exchangeCode(client, { configuration, outbound }, callback, secrets, true);
      const idToken = tokens.claims();
      if (idToken === undefined) throw failureOf(new Error('the reply has no ID token'));
      const isComplete = idToken['email'] !== undefined && idToken[wanted] !== undefined;
      const claims = isComplete ? idToken : await completed(client, configuration, tokens.access_token, idToken);
      const { email, email_verified: isVerified, xms_edov: isOfDomainOwner } = claims;
      const verified = verifiedEmail(email, vouchesForAddresses || isTrue(isVerified) || isTrue(isOfDomainOwner));
      return {
        identity: {
          issuer: idToken.iss,
          subject: idToken.sub,
          email: idToken.iss === google && !isOfGoogle(verified, claims['hd']) ? null : verified,
          fullName: nameOf(claims['name']),
        },
        claims,
      };
    },
  };
}

/** The claims of the ID token, and those of the UserInfo endpoint if there is one. */
async function completed(
  client: typeof OpenIdClient,
  configuration: OpenIdClient.Configuration,
  accessToken: string,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const profile = await client.fetchUserInfo(configuration, accessToken, claims.sub).catch((error: unknown) => {
    throw failureOf(error);
  });
  return { ...claims, ...profile };
}

/** The issuer of Google. */
const google = 'https://accounts.google.com';

/**
 * Whether Google is the authority for an address: it is one of Gmail, or of the domain of the account's organization. Of
 * other addresses Google has once seen that the person reads the mailbox, and calls them verified also when somebody has
 * left the organization of the address since.
 *
 * @param organization the claim `hd`
 */
function isOfGoogle(email: string | null, organization: unknown): boolean {
  return email !== null && ['gmail.com', 'googlemail.com', organization].includes(domainOfAddress(email));
}

/** Some issuers write booleans as texts or numbers. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === 1 || claim === '1';
}

import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type * as OpenIdClient from 'openid-client';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import { ProviderFailure, type IdentityProvider } from './identity-provider.js';
import {
  callTimeoutMs,
  exchangeCode,
  failureOf,
  maxReplyBytes,
  nameOf,
  openIdClient,
  preparationsFor,
  verifiedEmail,
} from './provider-calls.js';

/** GitHub speaks OAuth 2.0 without ID tokens: its API says who has logged in, and which addresses are verified. */
export function githubProvider(
  { id, name, url, clientId, clientSecret }: IdentityProviderSettings,
  outbound: OutboundFetch,
): IdentityProvider {
  const issuer = `${url}/login/oauth`;
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;
  const configure = async (): Promise<{
    readonly client: typeof OpenIdClient;
    readonly configuration: OpenIdClient.Configuration;
  }> => {
    const client = await openIdClient();
    const server = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/access_token` };
    const authentication = client.ClientSecretPost(clientSecret);
    const configuration = new client.Configuration(server, clientId, undefined, authentication);
    for (const prepare of preparationsFor(client, new URL(url))) prepare(configuration);
    return { client, configuration };
  };
  const read = async (path: string, token: string): Promise<unknown> => {
    const reply = await outbound(`${api}${path}`, {
      headers: {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${token}`,
        'User-Agent': 'plumbline',
        'X-GitHub-Api-Version': '2022-11-28',
      },
      signal: new AbortController().signal,
      timeoutMs: callTimeoutMs,
      maxBytes: maxReplyBytes,
    }).catch((error: unknown) => {
      throw failureOf(error);
    });
    if (!reply.ok) throw new ProviderFailure(`GET ${path.split('?')[0] ?? path} was answered ${reply.status}`);
    return reply.json().catch(() => {
      throw new ProviderFailure('the API does not answer in JSON');
    });
  };
  return {
    id,
    name,
    authorizationUrl: async ({ state, verifier, redirectUri }) => {
      const { client, configuration } = await configure();
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    identify: async (callback, secrets) => {
      const { client, configuration } = await configure();
      const exchange = { configuration, outbound: withErrorStatus(outbound) };
      const { access_token: token } = await exchangeCode(client, exchange, callback, secrets, false);
      const user = await read('/user', token);
      const subject = propertyOf(user, 'id');
      if (typeof subject !== 'number') throw new ProviderFailure('the API does not say who has logged in');
      const addresses = await read('/user/emails?per_page=100', token);
      const primary = Array.isArray(addresses)
        ? (addresses as readonly unknown[]).find((each) => propertyOf(each, 'primary') === true)
        : undefined;
      return {
        issuer,
        subject: String(subject),
        email: verifiedEmail(propertyOf(primary, 'email'), propertyOf(primary, 'verified') === true),
        fullName: nameOf(propertyOf(user, 'name')),
      };
    },
  };
}

/** GitHub reports errors of its token endpoint with the status 200. With 400, the library understands them. */
function withErrorStatus(outbound: OutboundFetch): OutboundFetch {
  return async (url, request) => {
    const reply = await outbound(url, request);
    const text = await reply.text();
    const hasFailed = reply.status === 200 && propertyOf(parsedJson(text), 'error') !== undefined;
    return new Response(text, { status: hasFailed ? 400 : reply.status, headers: reply.headers });
  };
}

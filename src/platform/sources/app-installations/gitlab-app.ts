import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type * as OpenIdClient from 'openid-client';
import { installationRefused } from '../../../../generated/problems.js';
import { after, type Clock } from '../../clock.js';
import {
  callTimeoutMs,
  customFetchOf,
  maxReplyBytes,
  oauthErrorOf,
  openIdClient,
  preparationsFor,
} from '../../identity/providers/provider-calls.js';
import type { GitlabAppSettings } from '../../server/settings/gitlab-app-settings.js';
import { parsedJson, propertyOf } from '../../server/json-values.js';
import { unreachableHost, unreachableMessage, type HostAccess, type HostAnswer, type HostApp } from './host-app.js';

/** The API is read, and nothing else: no scope lets a token write (https://docs.gitlab.com/integration/oauth_provider/). */
const scope = 'read_api';

/** How long GitLab's tokens live if it does not say so (https://docs.gitlab.com/api/oauth2/). */
const usualSeconds = 7200;

/** An application for OAuth 2.0 at GitLab: an organization reads what the user who has authorized it can read. */
export interface GitlabApp extends HostApp, Pick<GitlabAppSettings, 'webhookSecret'> {}

/** @param appBaseUrl the address of this server for browsers */
export function createGitlabApp(
  { url, clientId, clientSecret, webhookSecret }: GitlabAppSettings,
  appBaseUrl: () => string,
  fetch: OutboundFetch,
  clock: Clock,
): GitlabApp {
  // GitHub sends browsers to another address. So the answer of one host is never taken for that of the other (RFC 9700, 4.4).
  const redirectUri = (): string => `${appBaseUrl()}/console/app-installation/gitlab`;

  const configure = async (): Promise<{
    readonly client: typeof OpenIdClient;
    readonly configuration: OpenIdClient.Configuration;
  }> => {
    const client = await openIdClient();
    const server = {
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
    };
    const authentication = client.ClientSecretPost(clientSecret);
    const configuration = new client.Configuration(server, clientId, undefined, authentication);
    for (const prepare of preparationsFor(client, new URL(url))) prepare(configuration);
    configuration[client.customFetch] = customFetchOf(fetch);
    return { client, configuration };
  };

  /** Asks for tokens. @param stored the refresh token that stays valid if the host sends no other */
  const tokensBy = async (
    grant: (
      client: typeof OpenIdClient,
      configuration: OpenIdClient.Configuration,
    ) => Promise<OpenIdClient.TokenEndpointResponse>,
    stored: string | null,
  ): Promise<HostAnswer<HostAccess>> => {
    const { client, configuration } = await configure();
    try {
      const { access_token: token, refresh_token: next, expires_in: seconds } = await grant(client, configuration);
      const refreshToken = next ?? stored;
      if (refreshToken === null) return { refusal: 'unreachable' };
      return { value: { token, refreshToken, expiresAt: after(clock.now(), seconds ?? usualSeconds) } };
    } catch (error) {
      const code = oauthErrorOf(client, error);
      if (code === 'invalid_grant') return { refusal: 'removed' };
      if (code === 'invalid_client' || code === 'unauthorized_client') return { refusal: 'refused' };
      if (code !== null || error instanceof client.ClientError) return { refusal: 'unreachable' };
      throw error;
    }
  };

  /** The name of the user whose token it is; null: the host does not tell it. */
  const usernameOf = async (token: string): Promise<string | null> => {
    const reply = await fetch(`${url}/api/v4/user`, {
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'plumbline' },
      signal: new AbortController().signal,
      ...{ timeoutMs: callTimeoutMs, maxBytes: maxReplyBytes },
    }).catch(() => null);
    const name = reply?.status === 200 ? propertyOf(parsedJson(await reply.text().catch(() => '')), 'username') : null;
    return typeof name === 'string' && /^[\w.-]{1,255}$/.test(name) ? name : null;
  };

  const revoke: HostApp['revoke'] = async ({ refreshToken }) => {
    if (refreshToken === null) return true;
    const { client, configuration } = await configure();
    try {
      // The host ends the access token of the same grant as well.
      await client.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' });
      return true;
    } catch (error) {
      if (oauthErrorOf(client, error) !== null || error instanceof client.ClientError) return false;
      throw error;
    }
  };

  return {
    ...{ provider: 'host_b', baseUrl: url === 'https://gitlab.com' ? null : url, webhookSecret, isRenewedOnce: true },
    failures: {
      suspended: 'The application is suspended at the code host.',
      removed: 'The application was removed at the code host, or its authorization has ended. Connect GitLab again.',
      refused: 'The code host does not accept the secret of the application. Contact the operator.',
      unreachable: unreachableMessage,
    },
    startUrl: async ({ state, verifier }) => {
      const { client, configuration } = await configure();
      const authorization = {
        ...{ redirect_uri: redirectUri(), scope, state, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
      };
      return client.buildAuthorizationUrl(configuration, authorization).href;
    },
    connect: async ({ code, state, verifier }) => {
      const refused = { problem: installationRefused({ message: 'GitLab has not let this server read for you.' }) };
      if (code === undefined) return refused;
      const callback = new URL(`${redirectUri()}?${new URLSearchParams({ code, state }).toString()}`);
      const checks = { expectedState: state, pkceCodeVerifier: verifier };
      const answer = await tokensBy(
        (client, configuration) => client.authorizationCodeGrant(configuration, callback, checks),
        null,
      );
      if ('refusal' in answer) return answer.refusal === 'removed' ? refused : { problem: unreachableHost() };
      const access = answer.value;
      const account = await usernameOf(access.token);
      if (account !== null) return { account: { installationId: null, account, access } };
      await revoke(access);
      return { problem: unreachableHost() };
    },
    renew: async ({ refreshToken }) =>
      refreshToken === null
        ? { refusal: 'removed' }
        : tokensBy((client, configuration) => client.refreshTokenGrant(configuration, refreshToken), refreshToken),
    revoke,
  };
}

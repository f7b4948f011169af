import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { Clock } from '../../clock.js';
import { createGithubClient, type AppIdentity, type GithubClient } from './github-client.js';
import { usableInstallation } from './github-installation.js';
import { unreachableMessage, type HostApp } from './host-app.js';

/** A GitHub App: organizations install it, and the app asks for tokens of an installation with its private key. */
export interface GithubApp
  extends HostApp, Pick<GithubClient, 'readInstallation'>, Pick<AppIdentity, 'webhookSecret'> {}

export function createGithubApp(identity: AppIdentity, fetch: OutboundFetch, clock: Clock): GithubApp {
  const client = createGithubClient(identity, fetch, clock);
  return {
    ...{ provider: 'host_a', baseUrl: identity.baseUrl, webhookSecret: identity.webhookSecret, isRenewedOnce: false },
    failures: {
      suspended: 'The installation of the app is suspended at the code host. Resume it there.',
      removed: 'The app was removed at the code host. Install it again.',
      refused: 'The code host does not accept the key of the app. Contact the operator.',
      unreachable: unreachableMessage,
    },
    startUrl: ({ state, account }) =>
      Promise.resolve(account === null ? installUrl(identity, state) : signInUrl(identity, state, account)),
    connect: ({ code, installationId, account }) =>
      usableInstallation(client, code, account === null ? { id: installationId } : { account }),
    renew: async ({ installationId }) => {
      if (installationId === null) return { refusal: 'removed' };
      const answer = await client.createToken(installationId);
      return 'refusal' in answer ? answer : { value: { ...answer.value, refreshToken: null } };
    },
    readInstallation: (installationId) => client.readInstallation(installationId),
    // The installation stays at GitHub until it is removed there. Its last token ends within an hour.
    revoke: () => Promise.resolve(true),
  };
}

/** The host asks the user to authorize the app as well, and adds a code to the address to which it sends the browser. */
function installUrl({ webUrl, slug, baseUrl }: AppIdentity, state: string): string {
  // An Enterprise Server has the pages of its apps elsewhere.
  return `${webUrl}/${baseUrl === null ? 'apps' : 'github-apps'}/${slug}/installations/new?${query({ state })}`;
}

function signInUrl({ webUrl, clientId }: AppIdentity, state: string, login: string): string {
  return `${webUrl}/login/oauth/authorize?${query({ client_id: clientId, state, login })}`;
}

function query(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString();
}

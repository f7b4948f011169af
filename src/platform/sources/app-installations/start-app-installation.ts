import type { StartAppInstallationHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { after } from '../../clock.js';
import { newOneTimeToken } from '../../identity/tokens/token-hash.js';
import { insertStart } from './app-installations.store.js';
import type { AppIdentity } from './host-app.js';
import { noApp } from './no-app.js';

/** Long enough to log in at the host with a second factor, and to choose repositories. */
const stateSeconds = 600;

export const startAppInstallation: StartAppInstallationHandler<PlatformDependencies> = async (
  { body, principal },
  { sql, clock, random, hostApp },
) => {
  if (hostApp === null) return noApp();
  const { token: state, hash: stateHash } = newOneTimeToken(random);
  const expiresAt = after(clock.now(), stateSeconds);
  const { account = null, return_to: returnTo = '/console/onboarding' } = body;
  const { org_id: orgId, user_id: userId, session_id: sessionId } = principal;
  await insertStart(sql, { stateHash, orgId, userId, sessionId, account, returnTo, expiresAt });
  const url = account === null ? installUrl(hostApp.identity, state) : signInUrl(hostApp.identity, state, account);
  return { status: 200, body: { url, expires_at: expiresAt.toISOString() } };
};

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

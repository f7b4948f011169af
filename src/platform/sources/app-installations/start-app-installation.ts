import type { StartAppInstallationHandler } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { after } from '../../clock.js';
import { refusalOfOldSession } from '../../identity/mfa/fresh-proof.js';
import { newOneTimeToken } from '../../identity/tokens/token-hash.js';
import { insertStart, verifierContext } from './app-installations.store.js';
import { noApp } from './no-app.js';

/** Long enough to log in at the host with a second factor, and to choose repositories. */
const stateSeconds = 600;

export const startAppInstallation: StartAppInstallationHandler<PlatformDependencies> = async (
  { body, principal },
  { sql, clock, random, secrets, hostApps },
) => {
  const { provider = 'host_a', account = null, return_to: returnTo = '/console/onboarding' } = body;
  const hostApp = hostApps[provider];
  if (hostApp === null) return noApp();
  const stale = await refusalOfOldSession(sql, principal, clock.now(), 'organization');
  if (stale !== null) return stale;
  const { token: state, hash: stateHash } = newOneTimeToken(random);
  const { token: verifier } = newOneTimeToken(random);
  const verifierSealed = secrets.seal(verifier, verifierContext(stateHash));
  const expiresAt = after(clock.now(), stateSeconds);
  const { org_id: orgId, user_id: userId, session_id: sessionId } = principal;
  const start = { stateHash, provider, orgId, userId, sessionId, account, returnTo, verifierSealed, expiresAt };
  await insertStart(sql, start);
  const url = await hostApp.startUrl({ state, verifier, account });
  return { status: 200, body: { url, expires_at: expiresAt.toISOString() } };
};

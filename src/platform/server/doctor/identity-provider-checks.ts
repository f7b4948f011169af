import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { systemClock } from '../../clock.js';
import { attemptSecrets } from '../../identity/providers/identity-provider.js';
import { openProviders } from '../../identity/providers/open-providers.js';
import type { PlatformSettings } from '../settings.js';
import { findingsOf, reasonOf, type Finding } from './finding.js';

/** Begins a log-in with each identity provider, which reads its metadata. GitHub has none. */
export async function checkIdentityProviders({
  identityProviders,
}: Pick<PlatformSettings, 'identityProviders'>): Promise<Finding[]> {
  const { ok, failed } = findingsOf('identity providers');
  const providers = openProviders(identityProviders, outboundFetch('any'), systemClock);
  return Promise.all(
    [...providers.values()].map(async (provider) => {
      try {
        const url = await provider.authorizationUrl(attemptSecrets('doctor', 'doctor', 'https://localhost/'));
        return ok(`Log-ins with ${provider.name} begin at ${url.host}.`);
      } catch (error) {
        const remedy = 'Correct the settings of this provider, or let this machine reach it.';
        return failed(`Log-ins with ${provider.name} cannot begin: ${reasonOf(error)}.`, remedy);
      }
    }),
  );
}

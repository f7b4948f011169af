import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { Clock } from '../../clock.js';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';
import { githubProvider } from './github-provider.js';
import type { IdentityProvider } from './identity-provider.js';
import { openIdProvider } from './open-id-provider.js';

/** The identity providers of this server by their ids, in the order in which they are offered. */
export type IdentityProviders = ReadonlyMap<string, IdentityProvider>;

/** @param outbound reaches every network: the operator has named the providers */
export function openProviders(
  settings: readonly IdentityProviderSettings[],
  outbound: OutboundFetch,
  clock: Clock,
): IdentityProviders {
  return new Map(
    settings.map((each) => [
      each.id,
      each.id === 'github' ? githubProvider(each, outbound) : openIdProvider(each, outbound, clock),
    ]),
  );
}

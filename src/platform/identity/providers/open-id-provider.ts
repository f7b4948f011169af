import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { after, type Clock } from '../../clock.js';
import type { IdentityProviderSettings } from '../../server/settings/identity-provider-settings.js';
import type { IdentityProvider } from './identity-provider.js';
import { openIdIssuer } from './open-id-issuer.js';

/** For how long a log-in begins at the address that the metadata named. */
const metadataSeconds = 300;

/** A provider that speaks OpenID Connect, found by the discovery of its issuer. */
export function openIdProvider(
  settings: IdentityProviderSettings,
  outbound: OutboundFetch,
  clock: Clock,
): IdentityProvider {
  const issuer = openIdIssuer(settings, outbound);
  const remembered = rememberFor(metadataSeconds, issuer.discover, clock);
  return {
    id: settings.id,
    name: settings.name,
    authorizationUrl: async (secrets) => issuer.authorizationUrl(await remembered(), secrets),
    identify: async (callback, secrets) => (await issuer.prove(callback, secrets)).identity,
  };
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

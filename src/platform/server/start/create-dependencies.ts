import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { countOpen } from '@plumbline/contract/system/open-counts';
import type { PlatformDependencies } from '../../dependencies.js';
import { keyRings } from '../../identity/key-rings.js';
import { createLeakCheck } from '../../identity/passwords/leaked-passwords.js';
import { openProviders } from '../../identity/providers/open-providers.js';
import { createPasswords } from '../../identity/passwords/passwords.js';
import { systemRandom } from '../../random.js';
import { createOpenRecords } from '../../sources/records/open-records.js';
import { mostStreams, mostStreamsOfOrganization } from '../../sources/sync-runs/watch-sync-run.js';
import { createTokens } from '../../identity/tokens/tokens.js';
import type { Services } from './services.js';
import { appBaseUrlOf, type Startup } from './startup.js';
import type { Stores } from './stores.js';

/** Creates the dependencies of handlers from the stores and services. */
export async function createDependencies(
  startup: Startup,
  { uri, database, secrets }: Stores,
  { health, metrics, mails, outbound, hostApps, installationTokens, syncJobs, storeTasks }: Services,
): Promise<PlatformDependencies> {
  const { settings, clock, log, stops, importConnector } = startup;
  const keyRing = await keyRings(settings, database, secrets, clock);
  const passwords = createPasswords({ cost: settings.bcryptCost, queue: settings.bcryptQueue, log });
  stops.push(() => passwords.close());
  const store = { store: settings.analyticsUri ?? uri, rulesFile: settings.workUnitRules };
  const records = createOpenRecords(store, importConnector);
  stops.push(() => records.close());
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  return {
    ...{ sql: database.sql, settings, clock, random: systemRandom, log, secrets },
    ...{ passwords, records, outbound, hostApps, installationTokens, mails, syncJobs, storeTasks },
    // The operator has named these services, so they may be in any network.
    isLeaked: createLeakCheck(settings.leakedPasswordsUrl, outboundFetch('any'), log),
    identityProviders: openProviders(settings.identityProviders, outboundFetch('any'), clock),
    appBaseUrl: appBaseUrlOf(startup),
    tokens: createTokens({ keyRing, issuer, audience, clock, random: systemRandom }),
    syncRunEnded: metrics.observeSyncRun,
    streams: countOpen(mostStreams),
    organizationStreams: countOpen(mostStreamsOfOrganization),
    closing: startup.closing.signal,
    keyRing: () => keyRing(false),
    metrics: metrics.text,
    unreadiness: async () => {
      if (startup.isStopping) return 'The server is shutting down.';
      const reasons = await health.check();
      return [...reasons.values()].find((reason) => reason !== null) ?? null;
    },
  };
}

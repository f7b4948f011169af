import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer } from '@plumbline/contract/server';
import { serveAnalytics } from '../../figures/analytics-api/serve-analytics.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { localUrl } from '../local-url.js';
import type { Rounds } from '../rounds.js';
import { servePlatform } from '../serve-platform.js';
import { startThresholdEvaluation } from '../../figures/thresholds/evaluation.js';
import type { Services } from './services.js';
import { deadlineMsOf, type Startup } from './startup.js';
import type { Stores } from './stores.js';

/** Opens the analytics, which the evaluation of thresholds uses too, and listens. */
export async function startServer(
  startup: Startup,
  { uri }: Stores,
  services: Services,
  dependencies: PlatformDependencies,
): Promise<{ readonly server: RunningServer; readonly thresholds: Rounds }> {
  const { settings, clock, log, stops, importConnector } = startup;
  const { health, metrics } = services;
  const analytics = await serveAnalytics(settings.analyticsUri ?? uri, dependencies, metrics, importConnector);
  stops.push(() => analytics.close());
  if (settings.analyticsUri !== null) {
    health.add('analytics store', async () => {
      await analytics.analytics.ping(AbortSignal.timeout(10_000));
      return null;
    });
  }
  const thresholds = startThresholdEvaluation({
    ...{ sql: dependencies.sql, analytics: analytics.analytics, unitRecords: analytics.unitRecords, clock, log },
    isWorking: settings.syncJobs > 0,
    queryTimeoutSeconds: settings.analyticsQueryTimeoutSeconds,
  });
  stops.push(() => thresholds.stop());
  const server = await servePlatform(settings, dependencies, metrics, log, analytics.pages);
  startup.listening = localUrl({ host: settings.host, port: Number(new URL(server.url).port || 80) });
  stops.push(() => stopServer(startup, server, services));
  return { server, thresholds };
}

/** Syncs and mails get the same time as requests. None of them accepts new work from here on. */
async function stopServer(
  startup: Startup,
  server: RunningServer,
  { syncJobs, storeTasks, stopMails }: Pick<Services, 'syncJobs' | 'storeTasks' | 'stopMails'>,
): Promise<void> {
  startup.isStopping = true;
  const deadlineMs = deadlineMsOf(startup);
  const drained = delay(startup.drains ? startup.settings.shutdownDrainSeconds * 1000 : 0);
  const close = (): Promise<void> => {
    startup.closing.abort();
    return server.stop(deadlineMs);
  };
  await Promise.all([drained.then(close), syncJobs.stop(deadlineMs), storeTasks.stop(), stopMails()]);
}

import type { Log } from '@plumbline/contract/contract-types';
import { openAnalytics } from '../../../analytics/open.js';
import type { PlatformSettings } from '../settings.js';
import { findingsOf, reasonOf, type Finding } from './finding.js';

const timeoutSeconds = 10;

/** The finding says what is wrong. */
const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Asks the store of ANALYTICS_URI for a row. None is returned where the analytics are in the server's database. */
export async function checkAnalytics({ analyticsUri }: Pick<PlatformSettings, 'analyticsUri'>): Promise<Finding[]> {
  if (analyticsUri === null) return [];
  const { ok, failed } = findingsOf('analytics store');
  try {
    const analytics = await openAnalytics(analyticsUri, { timeoutSeconds, log: silentLog });
    try {
      await analytics.ping(AbortSignal.timeout(timeoutSeconds * 1000));
    } finally {
      await analytics.close();
    }
    return [ok('The store of ANALYTICS_URI answers.')];
  } catch (error) {
    const reason = `The store of ANALYTICS_URI does not answer: ${reasonOf(error)}.`;
    return [failed(reason, 'Start it, or correct ANALYTICS_URI.')];
  }
}

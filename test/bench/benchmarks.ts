import { benchAnalytics, benchAnalyticsFigures, benchAnalyticsGrowth } from './analytics/analytics.js';
import { benchPartitions } from './analytics/partitions.js';
import { benchCompose } from './compose/compose.js';
import { benchConsole } from './console/interactive.js';
import { benchThroughput } from './http/throughput.js';
import { benchCrowd } from './platform/crowd.js';
import { benchLogin } from './platform/login.js';
import { benchMe } from './platform/me.js';
import { benchServiceToken } from './platform/service-token.js';
import { benchStart } from './platform/start.js';
import { benchTracing } from './platform/tracing.js';
import { benchSdkSize } from './sdk-size.js';
import { benchAccuracy } from './sync/accuracy.js';
import { benchSyncGit } from './sync/git.js';
import { benchUnits } from './sync/units.js';

/** The benchmarks by name. */
export const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  throughput: benchThroughput,
  me: benchMe,
  'service-token': benchServiceToken,
  tracing: benchTracing,
  login: benchLogin,
  crowd: benchCrowd,
  start: benchStart,
  'sdk-size': benchSdkSize,
  console: benchConsole,
  compose: benchCompose,
  sync: benchSyncGit,
  units: benchUnits,
  accuracy: benchAccuracy,
  analytics: benchAnalytics,
  'analytics-figures': benchAnalyticsFigures,
  'analytics-growth': benchAnalyticsGrowth,
  'analytics-partitions': benchPartitions,
};

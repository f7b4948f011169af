/** `npm run bench [name ...] [size]`: measures side by side and prints ratios. Never part of the tests. */
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

const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
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

// Numbers are sizes, which the benchmarks read.
const asked = process.argv.slice(2).filter((argument) => !/^[\d.]+$/.test(argument));
const unknown = asked.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benchmarks)) {
  if (asked.length === 0 || asked.includes(name)) await bench();
}

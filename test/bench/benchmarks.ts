/**
 * The benchmarks by name. Each is loaded when it is run: together they load most of the product, which takes longer than
 * what some of them measure.
 */
export const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  throughput: async () => (await import('./http/throughput.js')).benchThroughput(),
  me: async () => (await import('./platform/me.js')).benchMe(),
  'service-token': async () => (await import('./platform/service-token.js')).benchServiceToken(),
  tracing: async () => (await import('./platform/tracing.js')).benchTracing(),
  login: async () => (await import('./platform/login.js')).benchLogin(),
  crowd: async () => (await import('./platform/crowd.js')).benchCrowd(),
  start: async () => (await import('./platform/start.js')).benchStart(),
  'sdk-size': async () => (await import('./sdk-size.js')).benchSdkSize(),
  console: async () => (await import('./console/interactive.js')).benchConsole(),
  compose: async () => (await import('./compose/compose.js')).benchCompose(),
  sync: async () => (await import('./sync/git.js')).benchSyncGit(),
  units: async () => (await import('./sync/units.js')).benchUnits(),
  accuracy: async () => (await import('./sync/accuracy.js')).benchAccuracy(),
  analytics: async () => (await import('./analytics/analytics.js')).benchAnalytics(),
  'analytics-figures': async () => (await import('./analytics/analytics.js')).benchAnalyticsFigures(),
  'analytics-growth': async () => (await import('./analytics/analytics.js')).benchAnalyticsGrowth(),
  'analytics-partitions': async () => (await import('./analytics/partitions.js')).benchPartitions(),
};

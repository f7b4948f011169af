import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const slowFiles = 'test/**/*.slow.test.ts';

/** Loads the packages in src/ from their sources: a test must not depend on when they were built last. */
const fromSources = { resolve: { conditions: ['@plumbline/source', 'node', 'development|production'] } };

// What both kinds of tests have in common. The global setup is not in here: it runs once, for all projects.
const common: TestProjectInlineConfiguration = {
  ssr: fromSources,
  resolve: {
    // The workspace's own package, from its sources: a test must not depend on when it was built last.
    alias: {
      '@plumbline/sdk/webhooks': resolve('sdk/src/webhooks.ts'),
      '@plumbline/sdk/analytics': resolve('sdk/src/analytics.ts'),
      '@plumbline/sdk/platform/paths': resolve('sdk/src/platform/paths.ts'),
      '@plumbline/sdk/compose/paths': resolve('sdk/src/compose/paths.ts'),
      '@plumbline/sdk/platform': resolve('sdk/src/platform.ts'),
      '@plumbline/sdk/compose/node': resolve('sdk/src/compose/node.ts'),
      '@plumbline/sdk/compose': resolve('sdk/src/compose.ts'),
      '@plumbline/sdk': resolve('sdk/src/index.ts'),
    },
  },
  test: {
    setupFiles: ['test/support/failed-test.setup.ts'],
    // Real databases, engines and browsers start and stop in here: generous, so that a busy machine does not cause failures.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
};

export default defineConfig({
  environments: { __vitest__: fromSources }, // in which the global setup is loaded
  test: {
    projects: [
      {
        ...common,
        test: {
          ...common.test,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [slowFiles, 'test/consumers/**', 'test/bench/**'],
          // The files of a worker load the sources once, which would otherwise take most of the time.
          isolate: false,
          execArgv: ['--max-old-space-size=1536'],
          // A test file often waits for a server that runs beside it, so two cores are busy with three files.
          maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...common,
        test: {
          ...common.test,
          name: 'slow',
          include: [slowFiles],
          // Starting engines, databases and browsers side by side has made a click in a page take more than 30 seconds.
          testTimeout: 180_000,
          hookTimeout: 240_000,
          exclude: ['test/consumers/**', 'test/bench/**'],
          // Container engines, browsers and the programs that they start keep two cores busy with two files.
          maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: [
      'test/support/compiled.setup.ts',
      'test/support/postgres.setup.ts',
      'test/support/recorder.setup.ts',
      'test/support/loading-worker.setup.ts',
    ],
    reporters:
      process.env['CI'] === undefined ? ['default'] : ['default', ['json', { outputFile: 'coverage/vitest.json' }]],
  },
});

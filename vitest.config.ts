import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongFilesFirst } from './test/support/long-files-first.js';

const slowFiles = 'test/**/*.slow.test.ts';

/** Slow files that add networks to this machine, for containers or for a database that falls silent. */
const networkFiles = [
  'test/compose/**/*.slow.test.ts',
  'test/console/containers-engine.slow.test.ts',
  'test/platform/server/deploy/container.slow.test.ts',
  'test/platform/service/silence.slow.test.ts',
];

const noTests = ['test/consumers/**', 'test/bench/**'];

/** Loads the packages in src/ from their sources: a test must not depend on when they were built last. */
const fromSources = { resolve: { conditions: ['@plumbline/source', 'node', 'development|production'] } };

// A test file often waits for what runs beside it, so two cores are busy with three files.
const workers = Math.max(3, Math.floor(availableParallelism() / 2));

// What all kinds of tests have in common. The global setup is not in here: it runs once, for all projects.
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
    maxWorkers: workers,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
};

const slow: TestProjectInlineConfiguration['test'] = {
  runner: 'test/support/slow-runner.ts',
  // Starting engines, databases and browsers side by side has made a click in a page take more than 30 seconds.
  testTimeout: 180_000,
  hookTimeout: 240_000,
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
          exclude: [slowFiles, ...noTests],
          // The files of a worker load the sources once, which would otherwise take most of the time.
          isolate: false,
          execArgv: ['--max-old-space-size=1536'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...common,
        test: {
          ...common.test,
          ...slow,
          name: 'slow',
          include: [slowFiles],
          exclude: [...networkFiles, ...noTests],
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...common,
        test: {
          ...common.test,
          ...slow,
          name: 'networks',
          include: networkFiles,
          // For containers these files wait even more than the others.
          maxWorkers: workers + 1,
          // Not beside a browser, which ends all its requests when a network comes or goes.
          sequence: { groupOrder: 2 },
        },
      },
    ],
    sequence: { sequencer: LongFilesFirst },
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

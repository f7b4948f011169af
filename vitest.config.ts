import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

// A test file often waits for a server that runs beside it, so two cores are busy with three files. CI runs the slow files
// as well, with container engines and browsers, which keep two cores busy with two.
const workers = process.env['CI'] === undefined ? Math.max(3, Math.floor(availableParallelism() / 2)) : 2;

export default defineConfig({
  resolve: {
    // The workspace's own package, from its sources: a test must not depend on when it was built last.
    alias: {
      '@plumbline/sdk/webhooks': resolve('sdk/src/webhooks.ts'),
      '@plumbline/sdk/analytics': resolve('sdk/src/analytics.ts'),
      '@plumbline/sdk/platform': resolve('sdk/src/platform.ts'),
      '@plumbline/sdk/compose/node': resolve('sdk/src/compose/node.ts'),
      '@plumbline/sdk/compose': resolve('sdk/src/compose.ts'),
      '@plumbline/sdk': resolve('sdk/src/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/consumers/**', 'test/bench/**', 'node_modules/**'],
    setupFiles: ['test/support/failed-test.setup.ts'],
    globalSetup: [
      'test/support/compiled.setup.ts',
      'test/support/postgres.setup.ts',
      'test/support/recorder.setup.ts',
      'test/support/loading-worker.setup.ts',
    ],
    // Real databases, engines and browsers start and stop in here: generous, so that a busy machine does not cause failures.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: workers,
    reporters:
      process.env['CI'] === undefined ? ['default'] : ['default', ['json', { outputFile: 'coverage/vitest.json' }]],
  },
});

import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { loadingWorker } from './loading-worker.js';

/** Compiles the threads that load compose files: a thread does not run TypeScript. */
export default async function setup(): Promise<void> {
  await build({
    entryPoints: ['src/compose/service/projects/loading-worker.ts'],
    outfile: fileURLToPath(loadingWorker),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@plumbline/source'],
    logLevel: 'warning',
    // For bundled code that calls `require` for Node's modules.
    banner: {
      js: "import { createRequire as requireAt } from 'node:module';\nconst require = requireAt(import.meta.url);",
    },
  });
}

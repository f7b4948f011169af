#!/usr/bin/env node
/** The command line. `compose` commands load no other modules, so that they start fast. */
import { fileURLToPath } from 'node:url';
import { codeCacheFolder, runCached } from '../system/code-cache.js';
import type * as Compose from './compose.js';

try {
  if (process.argv[2] === 'compose') await compose(process.argv.slice(3));
  else await import('./program.js');
} catch (error) {
  const { reportFailure } = await import('./failure.js');
  await reportFailure(error);
}

/** A server is long-running, and needs modules that the bundle does not have. */
async function compose(args: readonly string[]): Promise<void> {
  const isBuilt = import.meta.url.includes('/dist/src/');
  const { runCompose } = isBuilt && !args.includes('serve') ? bundled(args) : await import('./compose.js');
  await runCompose();
}

function bundled(args: readonly string[]): typeof Compose {
  const file = fileURLToPath(new URL('compose.cjs', import.meta.url));
  const { exports, keep } = runCached({ file, folder: codeCacheFolder(process.env) });
  // The build creates the bundle from this module.
  const module = exports as typeof Compose;
  keep(module.commandIn(args));
  return module;
}

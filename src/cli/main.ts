#!/usr/bin/env node
/** The command line. `compose` commands load no other modules, so that they start fast. */
import { dirname, extname, join } from 'node:path';
import { codeCacheFolder, runCached } from '@plumbline/contract/system/code-cache';
import type * as Compose from './compose.js';

/** The exit code of Node.js for this case. */
const UNSETTLED = 13;

let hasEnded = false;
// Node.js does the same for ES modules: nothing is left to wait for, but the command has not ended.
process.once('beforeExit', () => {
  if (!hasEnded) process.exitCode = UNSETTLED;
});
void run().finally(() => {
  hasEnded = true;
});

async function run(): Promise<void> {
  try {
    if (process.argv[2] === 'compose') await compose(process.argv.slice(3));
    else await import('./program.js');
  } catch (error) {
    const { reportFailure } = await import('./failure.js');
    await reportFailure(error);
  }
}

/** A server is long-running, and needs modules that the bundle does not have. */
async function compose(args: readonly string[]): Promise<void> {
  // The build makes a CommonJS module of this one, because Node.js starts it faster than an ES module.
  const isBuilt = extname(import.meta.filename) === '.cjs';
  const { runCompose } = isBuilt && !args.includes('serve') ? bundled(args) : await import('./compose.js');
  await runCompose();
}

function bundled(args: readonly string[]): typeof Compose {
  const file = join(dirname(import.meta.filename), 'compose.cjs');
  const { exports, keep } = runCached({ file, folder: codeCacheFolder(process.env) });
  // The build creates the bundle from this module.
  const module = exports as typeof Compose;
  keep(module.commandIn(args));
  return module;
}

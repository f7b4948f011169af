/** How the command line of the compose tool starts: fast, because scripts run many of its commands. */
import { dirname, extname, join } from 'node:path';
import { codeCacheFolder, runCached } from '@plumbline/contract/system/code-cache';
import type * as Program from './program.js';

/**
 * Runs a compose command of this process.
 *
 * @param args the words after `compose`
 */
export async function startCompose(args: readonly string[]): Promise<void> {
  // The build makes a CommonJS module of this one, because Node.js starts it faster than an ES module.
  const isBuilt = extname(import.meta.filename) === '.cjs';
  // A server is long-running, and needs modules that the bundle does not have.
  const { runCompose } = isBuilt && !args.includes('serve') ? bundled(args) : await import('./program.js');
  await runCompose(args);
}

function bundled(args: readonly string[]): typeof Program {
  const file = join(dirname(import.meta.filename), 'compose.cjs');
  const { exports, keep } = runCached({ file, folder: codeCacheFolder(process.env) });
  // The build creates the bundle from this module.
  const module = exports as typeof Program;
  keep(module.commandIn(args));
  return module;
}

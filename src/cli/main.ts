#!/usr/bin/env node
/** The command line. `compose` commands load no other modules, so that they start fast. */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type * as ComposeStart from '@plumbline/compose/start';
import { runToEnd } from '@plumbline/contract/system/run-to-end';

runToEnd(async () => {
  try {
    if (process.argv[2] === 'compose') await (await composeStart()).startCompose(process.argv.slice(3));
    else await import('./program.js');
  } catch (error) {
    const { reportFailure } = await import('./failure.js');
    await reportFailure(error);
  }
});

async function composeStart(): Promise<typeof ComposeStart> {
  // The build makes a CommonJS module of this one and of the compose tool's, because Node.js starts those faster.
  const isBuilt = extname(import.meta.filename) === '.cjs';
  if (!isBuilt) return import('@plumbline/compose/start');
  // The exports are those of the module with this name, from which the build makes it.
  return createRequire(import.meta.filename)('@plumbline/compose/start') as typeof ComposeStart;
}

#!/usr/bin/env node
/** `plumbline-compose`: the compose tool without the rest of Plumbline. Its commands are those of `plumbline compose`. */
import { runToEnd } from '@plumbline/contract/system/run-to-end';
import { startCompose } from './start.js';

runToEnd(async () => {
  try {
    await startCompose(process.argv.slice(2));
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `plumbline-compose: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
});

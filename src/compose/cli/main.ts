#!/usr/bin/env node
/** `plumbline-compose`: the compose tool without the rest of Plumbline. Its commands are those of `plumbline compose`. */
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { runToEnd } from '@plumbline/contract/system/run-to-end';
import { pluginMetadata, withoutPluginName } from './docker-plugin.js';
import { startCompose } from './start.js';

runToEnd(async () => {
  try {
    const args = process.argv.slice(2);
    const metadata = pluginMetadata(args, releaseVersion());
    if (metadata === undefined) await startCompose(withoutPluginName(args, process.env));
    else process.stdout.write(`${metadata}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `plumbline-compose: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
});

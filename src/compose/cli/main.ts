#!/usr/bin/env node
/** `plumbline-compose`: the compose tool without the rest of Plumbline. Its commands are those of `plumbline compose`. */
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { runToEnd } from '@plumbline/contract/system/run-to-end';
import { endWithDockerCli, pluginMetadata, withoutPluginName } from './docker-plugin.js';
import { startCompose } from './start.js';

runToEnd(async () => {
  try {
    const args = process.argv.slice(2);
    const metadata = pluginMetadata(args, releaseVersion());
    if (metadata !== undefined) {
      process.stdout.write(`${metadata}\n`);
      return;
    }
    endWithDockerCli(process.env);
    await startCompose(withoutPluginName(args, process.env));
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `plumbline-compose: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
});

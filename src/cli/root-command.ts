import { Command } from 'commander';
import { releaseVersion } from '@plumbline/contract/system/release-version';

/** `plumbline` without its commands. Wrong usage exits with 2; --help and --version with 0. */
export function rootCommand(): Command {
  return new Command('plumbline')
    .description('Shows where engineering work goes, and runs compose files.')
    .version(releaseVersion(), '--version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

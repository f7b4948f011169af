import { Command } from 'commander';
import { releaseVersion } from '../system/release-version.js';

/** `plumbline` without its commands. Wrong usage exits with 2; --help and --version with 0. */
export function rootCommand(): Command {
  return new Command('plumbline')
    .description('Identity, analytics and containers, served from contracts.')
    .version(releaseVersion(), '--version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

import { Command } from 'commander';
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { registerComposeCommands } from './register.js';

export { commandIn } from './register.js';

/**
 * Runs a compose command. The build bundles it into one file (`compose.cjs`).
 *
 * @param args the words after `compose`
 */
export async function runCompose(args: readonly string[]): Promise<void> {
  const program = new Command('plumbline')
    .version(releaseVersion(), '--version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  await registerComposeCommands(program, args);
  await program.parseAsync(['compose', ...args], { from: 'user' });
}

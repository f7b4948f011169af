import { registerComposeCommands } from '@plumbline/compose/cli/register';
import { rootCommand } from './root-command.js';

export { commandIn } from '@plumbline/compose/cli/register';

/** Runs the compose command in the arguments of this process. The build bundles it into one file (`compose.cjs`). */
export async function runCompose(): Promise<void> {
  const program = rootCommand();
  await registerComposeCommands(program, process.argv.slice(3));
  await program.parseAsync();
}

/** `plumbline organizations`: shows the organizations of the installation, in the database. */
import type { Command } from 'commander';
import type { ListOrganizationsOptions } from './list-organizations.js';

const HELP = `
Owners delete an organization in the console or through the API. It is removed 7 days later.

Examples:
  plumbline organizations list --search example
  plumbline organizations list --marked --json`;

export function registerOrganizationsCommand(program: Command): void {
  program
    .command('organizations')
    .description('list organizations')
    .addHelpText('after', HELP)
    .command('list')
    .description('list organizations, the newest first')
    .option('--search <text>', 'only those whose name contains a text, and the one with this id')
    .option('--marked', 'only those that are marked for deletion')
    .option('--json', 'print one JSON object per line')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .action(async (options: ListOrganizationsOptions) => {
      const { listOrganizations } = await import('./list-organizations.js');
      await listOrganizations(options);
    });
}

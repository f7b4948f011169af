/** `plumbline users`: manages the accounts of the installation, in the database. */
import type { Command } from 'commander';
import type { ConfigOption } from './environment.js';
import type { ListUsersOptions } from './manage-users.js';

const HELP = `
A disabled account cannot log in. Its sessions and the links of its mails end at once.
A deleted account is gone with its personal data, and cannot come back.

Examples:
  plumbline users list --search @example.com
  plumbline users disable sam@example.com
  plumbline users delete sam@example.com --yes
  plumbline users reset-mfa sam@example.com
  plumbline users superuser robin@example.com`;

const email = ['<email>', 'e-mail address of the account'] as const;
const config = ['--config <file>', 'settings file (default: PLUMBLINE_CONFIG)'] as const;

export function registerUsersCommand(program: Command): void {
  const command = program.command('users').description('manage accounts').addHelpText('after', HELP);
  command
    .command('list')
    .description('list accounts, the newest first')
    .option('--search <text>', 'only those whose address or name contains a text')
    .option('--disabled', 'only disabled ones')
    .option('--json', 'print one JSON object per line')
    .option(...config)
    .action(async (options: ListUsersOptions) => {
      const { listUsers } = await import('./manage-users.js');
      await listUsers(options);
    });
  for (const [name, isActive] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    command
      .command(name)
      .description(isActive ? 'let a disabled account log in again' : 'end the sessions of an account, and its log-in')
      .argument(...email)
      .option(...config)
      .action(async (address: string, options: ConfigOption) => {
        const { changeActivity } = await import('./manage-users.js');
        await changeActivity(address, isActive, options);
      });
  }
  command
    .command('delete')
    .description('delete an account and its personal data for good')
    .argument(...email)
    .requiredOption('--yes', 'confirm the deletion')
    .option(...config)
    .action(async (address: string, options: ConfigOption) => {
      const { deleteUser } = await import('./manage-users.js');
      await deleteUser(address, options);
    });
  command
    .command('reset-mfa')
    .description('remove the second factor of an account whose holder has lost it, and end its sessions')
    .argument(...email)
    .option(...config)
    .action(async (address: string, options: ConfigOption) => {
      const { resetSecondFactor } = await import('./manage-users.js');
      await resetSecondFactor(address, options);
    });
  command
    .command('superuser')
    .description('make an account a superuser; with --revoke, an ordinary user')
    .argument(...email)
    .option('--revoke', 'revoke the right')
    .option(...config)
    .action(async (address: string, options: ConfigOption & { readonly revoke?: boolean }) => {
      const { setSuperuser } = await import('./manage-users.js');
      await setSuperuser(address, options.revoke !== true, options);
    });
}

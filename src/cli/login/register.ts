/** `login`, `logout`, `status` and `whoami`: the tokens that this account of the machine has for servers. */
import type { Command } from 'commander';
import type { LoginOptions, ServerOption } from './options.js';

const server = [
  '--server <url>',
  'address of the server (default: PLUMBLINE_SERVER, else the last login, else http://127.0.0.1:8080)',
] as const;

const HELP = `
The password is asked for on the terminal, or is the first line of standard input. If the account has a second factor, a
code of the authenticator app or a recovery code follows, as the next line of standard input. Tokens are stored in
PLUMBLINE_HOME/logins, else ~/.local/state/plumbline/logins, readable by you alone. PLUMBLINE_TOKEN comes before them.

Examples:
  plumbline login --email robin@example.com
  plumbline login --server https://plumbline.example.com --token-stdin < token`;

/** Adds the commands. */
export function registerLoginCommands(program: Command): void {
  program
    .command('login')
    .description('log in to a server, and store its tokens for the other commands')
    .option(...server)
    .option('--email <address>', 'e-mail address of the account')
    .option('--org <id>', 'organization to work in (default: the first one of the account)')
    .option('--token-stdin', 'store the service token on standard input')
    .addHelpText('after', HELP)
    .action(async (options: LoginOptions) => {
      const { logIn } = await import('./log-in.js');
      await logIn(options);
    });
  program
    .command('logout')
    .description('end the session at a server, and delete its tokens here')
    .option(...server)
    .action(async (options: ServerOption) => {
      const { logOut } = await import('./log-out.js');
      await logOut(options);
    });
  program
    .command('status')
    .description('list the servers that you are logged in to; exits with 1 when the current one refuses the tokens')
    .option('--json', 'print one JSON array')
    .action(async (options: { readonly json?: boolean }) => {
      const { showStatus } = await import('./status.js');
      await showStatus(options);
    });
  program
    .command('whoami')
    .description('print the account or the service token that commands use')
    .option(...server)
    .option('--json', 'print one JSON object')
    .action(async (options: ServerOption & { readonly json?: boolean }) => {
      const { whoAmI } = await import('./status.js');
      await whoAmI(options);
    });
}

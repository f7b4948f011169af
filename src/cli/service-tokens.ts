/** `plumbline service-tokens`: manages the service tokens of an organization, in the database. */
import type { Command } from 'commander';
import type { CreateOptions, ListOptions, RotateOptions, TokenOptions } from './service-token-options.js';

const HELP = `
A token is printed once, on standard output; the database has only its hash.

Examples:
  plumbline service-tokens create 'Nightly export' --org <id> --scope analytics:read --days 90
  plumbline service-tokens rotate <token id> --org <id> --overlap 3600
  PLUMBLINE_TOKEN=plbst_... plumbline query overview --server https://plumbline.example.com`;

const organization = ['--org <id>', 'organization (a UUID)'] as const;
const config = ['--config <file>', 'settings file (default: PLUMBLINE_CONFIG)'] as const;

export function registerServiceTokensCommand(program: Command): void {
  const command = program
    .command('service-tokens')
    .description('manage the tokens with which programs act for an organization')
    .addHelpText('after', HELP);
  command
    .command('create')
    .description('create a token, and print it')
    .argument('<name>', 'name of the token')
    .requiredOption(...organization)
    .requiredOption('--scope <scope...>', 'what the token may do, such as analytics:read')
    .option('--days <number>', 'days until the token expires, at most 366', '90')
    .option(...config)
    .action(async (name: string, options: CreateOptions) => {
      const { createToken } = await import('./manage-service-tokens.js');
      await createToken(name, options);
    });
  command
    .command('list')
    .description('list the tokens of an organization')
    .requiredOption(...organization)
    .option('--json', 'print one JSON array')
    .option(...config)
    .action(async (options: ListOptions) => {
      const { listTokens } = await import('./manage-service-tokens.js');
      await listTokens(options);
    });
  command
    .command('rotate')
    .description('issue a new secret for a token, and print it')
    .argument('<id>', 'id of the token')
    .requiredOption(...organization)
    .option('--overlap <seconds>', 'for how long earlier secrets are still accepted, at most 604800', '86400')
    .option('--days <number>', 'days until the token expires (default: as before)')
    .option(...config)
    .action(async (id: string, options: RotateOptions) => {
      const { rotateToken } = await import('./manage-service-tokens.js');
      await rotateToken(id, options);
    });
  command
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'id of the token')
    .requiredOption(...organization)
    .option(...config)
    .action(async (id: string, options: TokenOptions) => {
      const { revokeToken } = await import('./manage-service-tokens.js');
      await revokeToken(id, options);
    });
}

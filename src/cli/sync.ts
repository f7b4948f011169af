/** `plumbline sync`: options and actions. The engine is in src/sync. */
import type { Command } from 'commander';
import type { SyncOptions } from '../sync/options.js';
import type { ConfigOption } from './environment.js';
import { PROVIDERS } from '../sync/providers/registry.js';
import { hostOptions, hostsJoined, providersHelp, SYNC_HELP, tokensHelp } from './sync-help.js';

/**
 * Adds `sync` to a program.
 *
 * The parser treats the target as optional, because the engine lists all problems together. Wrong usage exits with 2.
 */
export function registerSyncCommand(program: Command): void {
  const command = program
    .command('sync')
    .description('load the data of repositories into a database')
    .argument('[target]', 'git, prs, blame, cicd, deployments, incidents, issues, or all of the provider')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride((error) => {
      // Requested help is a success; all other exits of the parser are wrong usage.
      process.exit(error.exitCode === 0 ? 0 : 2);
    });
  command
    .optionsGroup('Source and destination:')
    .option('--provider <provider>', providersHelp)
    .option('--db <uri>', 'database to write to; embedded: is the built-in PostgreSQL (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, mongo, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--sink <sink>', 'primary, secondary (SECONDARY_DATABASE_URI) or both (default: primary)')
    .option('--org <id>', 'organization of the records (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--max-commits-per-repo <n>', 'maximum number of commits per repository (default: see below)')
    .option('--prune', 'git: remove commits that the source no longer reaches (default: keep them)')
    .option('--since <time>', 'start at this ISO date or time; UTC unless it has an offset')
    .option('--date <date>', 'only the day YYYY-MM-DD, in UTC; not with --since')
    .option('--backfill <days>', 'this many days, ending with --date or today; not with --since')
    .option('--period <days>', 'the first sync reads this many days before today; later ones continue from there')
    .optionsGroup(`Providers ${hostsJoined('and')}:`)
    .option('--auth <token>', `access token (default: ${tokensHelp})`);
  for (const [flags, text] of hostOptions) command.option(flags, text);
  command
    .optionsGroup(`Many repositories of ${hostsJoined('or')}:`)
    .option('-s, --search <pattern>', 'repositories whose names match: "acme/api-*", or "acme/* !acme/old-*"')
    .option('--group <name>', 'organization, group or user that owns them (default: the prefix of --search)')
    .option('--batch-size <n>', 'repositories per batch (default: 10)')
    .option('--max-concurrent <n>', 'concurrent repositories (default: MAX_WORKERS, else 4)')
    .option('--rate-limit-delay <seconds>', 'delay between batches (default: 1.0)')
    .option('--max-repos <n>', 'maximum number of repositories; synthetic: number to generate')
    .option('--use-async', 'start the next repository at once, without batches and delays');
  for (const { name, host, options } of PROVIDERS) {
    if (host !== undefined) continue;
    command.optionsGroup(`Provider ${name}:`);
    for (const [flags, text] of Object.values(options)) command.option(flags, text);
  }
  command
    .optionsGroup('Output:')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print the summary of each target as a JSON object, in one line of standard output')
    .addHelpText('after', SYNC_HELP)
    .action(async (target: string | undefined, options: SyncOptions & ConfigOption & { readonly json?: boolean }) => {
      const { json = false, ...rest } = options;
      const { runSyncCommand } = await import('./sync-run.js');
      process.exitCode = await runSyncCommand({ ...rest, ...(target === undefined ? {} : { target }) }, json);
    });
}

/** `plumbline sync`: the options, and what the command does with them. The engine is in src/sync. */
import type { Command } from 'commander';
import type { SyncOptions } from '../sync/request.js';
import type { ConfigOption } from './environment.js';
import { SYNC_HELP } from './sync-help.js';

/**
 * Adds `sync` to a program.
 *
 * The target may be left out as far as the parser is concerned: what is wrong or missing is listed all at once, by the
 * engine. Wrong usage ends with 2.
 */
export function registerSyncCommand(program: Command): void {
  const command = program
    .command('sync')
    .description('load the data of repositories into a database')
    .argument('[target]', 'git, prs, blame, cicd, deployments or incidents')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride((error) => {
      // Help that was asked for is a success; everything else that the parser ends with is wrong usage.
      process.exit(error.exitCode === 0 ? 0 : 2);
    });
  command
    .optionsGroup('What and where to:')
    .option('--provider <provider>', 'local, host_a (or github), host_b (or gitlab), synthetic')
    .option('--db <uri>', 'database to write to; embedded: is the built-in PostgreSQL (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, mongo, sqlite or clickhouse, where the scheme of --db does not tell')
    .option('--sink <sink>', 'primary, secondary (SECONDARY_DATABASE_URI) or both (default: primary)')
    .option('--org <id>', 'organization that the records belong to (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--max-commits-per-repo <n>', 'most commits per repository (default: see below)')
    .option('--since <time>', 'from this ISO date or date and time on; UTC unless it says otherwise')
    .option('--date <date>', 'the day YYYY-MM-DD, in UTC; not with --since')
    .option('--backfill <days>', 'this many days, ending with --date or today; not with --since')
    .optionsGroup('Provider local:')
    .option('--repo-path <path>', 'clone to read (default: REPO_PATH, else .)')
    .optionsGroup('Providers host_a and host_b:')
    .option('--auth <token>', 'access token (default: HOST_A_TOKEN or HOST_B_TOKEN)')
    .option('--owner <owner>', 'host_a: who owns the repository')
    .option('--repo <name>', 'host_a: the repository')
    .option('--project-id <number>', 'host_b: the number of the project, not its path')
    .option('--host-a-url <url>', 'API of a self-hosted host_a (default: https://api.github.com)')
    .option('--host-b-url <url>', 'address of a self-hosted host_b (default: https://gitlab.com)')
    .optionsGroup('Many repositories of host_a or host_b:')
    .option('-s, --search <pattern>', 'those whose name matches, such as "acme/api-*"')
    .option('--group <name>', 'organization, group or user that owns them (default: what --search begins with)')
    .option('--batch-size <n>', 'repositories per batch (default: 10)')
    .option('--max-concurrent <n>', 'repositories at a time (default: MAX_WORKERS, else 4)')
    .option('--rate-limit-delay <seconds>', 'rest between batches (default: 1.0)')
    .option('--max-repos <n>', 'stop after this many; synthetic: make up this many')
    .option('--use-async', 'do not wait for the slowest of a batch, and do not rest')
    .optionsGroup('Provider synthetic:')
    .option('--repo-name <name>', 'name of the repository that is made up (default: acme/demo-app)')
    .option('--seed <number>', 'what the data are drawn from; the same seed makes the same data (default: 1)')
    .optionsGroup('Output:')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object about what was done on standard output')
    .addHelpText('after', SYNC_HELP)
    .action(async (target: string | undefined, options: SyncOptions & ConfigOption & { readonly json?: boolean }) => {
      const { json = false, ...rest } = options;
      const { runSyncCommand } = await import('./sync-run.js');
      process.exitCode = await runSyncCommand({ ...rest, ...(target === undefined ? {} : { target }) }, json);
    });
}

/** The commands, except those of `compose`. The code of a command is loaded on demand, so that `--help` is fast. */
import { Argument } from 'commander';
import { completionScript, SHELLS, type Shell } from '@plumbline/contract/system/completion-script';
import type { PruneOptions } from './administration.js';
import { registerContractTools } from '@plumbline/contract-tools/commands';
import type { ConfigOption } from './environment.js';
import { registerLoginCommands } from './login/register.js';
import { registerMcpCommand } from './mcp/register.js';
import { registerPushCommand } from './push/register.js';
import { rootCommand } from './root-command.js';
import type { ServeOptions } from './serve.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';

const config = ['--config <file>', 'settings file (default: PLUMBLINE_CONFIG)'] as const;

const program = rootCommand();

program
  .command('serve')
  .description('serve the web console, the Platform API and the Analytics API')
  .option('--host <address>', 'address to listen on: HOST')
  .option('--port <port>', 'port to listen on: PORT')
  .option('--home <folder>', 'folder of the embedded database: PLUMBLINE_HOME')
  .option(...config)
  .addHelpText('after', () => settingsHelp)
  .action(async (options: ServeOptions) => {
    const { serve } = await import('./serve.js');
    await serve(options);
  });

program
  .command('migrate')
  .description('migrate the database schema to this version')
  .option(...config)
  .action(async (options: ConfigOption) => {
    const { migrateDatabase } = await import('./migrate.js');
    await migrateDatabase(await environmentOf(options));
  });

program
  .command('backup')
  .description('write the database and the key of its secrets to a file, while servers run')
  .argument('<file>', 'file to create, which is not overwritten; - is standard output')
  .option('--without-key', 'leave the key of the secrets out; a restore then needs SECRETS_KEY')
  .option(...config)
  .action(async (file: string, options: ConfigOption & { readonly withoutKey?: true }) => {
    const { backUp } = await import('./backup.js');
    await backUp(await environmentOf(options), file, { hasKey: options.withoutKey !== true });
  });

program
  .command('restore')
  .description('restore a backup into an empty database')
  .argument('<file>', 'file that plumbline backup has written; - is standard input')
  .option(...config)
  .action(async (file: string, options: ConfigOption) => {
    const { restoreBackup } = await import('./backup.js');
    await restoreBackup(await environmentOf(options), file);
  });

program
  .command('move')
  .description('copy the database, such as the embedded one, to an empty database at another address')
  .argument('<address>', 'such as postgres://user:password@host:5432/name')
  .option(...config)
  .action(async (address: string, options: ConfigOption) => {
    const { moveDatabase } = await import('./backup.js');
    await moveDatabase(await environmentOf(options), address);
  });

program
  .command('prune')
  .description(
    'delete expired tokens and counters, old sync runs, mails that were given up, old audit records and records',
  )
  .option('--record-days <days>', 'delete records and work units that ended earlier (default: RECORD_RETENTION_DAYS)')
  .option('--audit-days <days>', 'delete audit records that are older (default: AUDIT_RETENTION_DAYS)')
  .option('--run-days <days>', 'delete ended sync runs that are older (default: SYNC_RUN_RETENTION_DAYS)')
  .option(
    '--mail-days <days>',
    'delete mails and webhook deliveries that were given up longer ago (default: FAILED_MAIL_RETENTION_DAYS)',
  )
  .option('--dry-run', 'only say how much would be deleted')
  .option(...config)
  .action(async (options: ConfigOption & PruneOptions) => {
    const { pruneDatabase } = await import('./administration.js');
    await pruneDatabase(await environmentOf(options), options);
  });

program
  .command('doctor')
  .description('check what a server needs, and say what to do')
  .option(...config)
  .option('--json', 'print one JSON object')
  .action(async (options: ConfigOption & { json?: boolean }) => {
    const { doctor } = await import('./doctor.js');
    await doctor(options);
  });

const keys = program.command('keys').description('manage the keys that sign tokens and seal secrets');
keys
  .command('rotate')
  .description('sign with a new key; tokens of the old key stay valid until they expire')
  .option(...config)
  .action(async (options: ConfigOption) => {
    const { rotateKeys } = await import('./administration.js');
    await rotateKeys(await environmentOf(options));
  });

keys
  .command('reseal')
  .description('seal with SECRETS_KEY what SECRETS_KEY_PREVIOUS has sealed; it can be interrupted and repeated')
  .option(...config)
  .action(async (options: ConfigOption) => {
    const { resealSecrets } = await import('./administration.js');
    await resealSecrets(await environmentOf(options));
  });

program
  .command('demo')
  .description('create an organization with synthetic data, and show a chart')
  .option('--email <address>', 'e-mail address of the owner', 'demo@example.com')
  .option('--reset-password', 'set a new password')
  .option(...config)
  .action(async (options: ConfigOption & { email: string; resetPassword?: boolean }) => {
    const { runDemo } = await import('./demo.js');
    const { email, resetPassword = false } = options;
    await runDemo(await environmentOf(options), { email, resetPassword });
  });

program.command('compose').description('run the services of a compose file as containers');

if (process.argv[2] === 'sync') {
  const { registerSyncCommand } = await import('./sync.js');
  registerSyncCommand(program);
} else program.command('sync').description('load the data of repositories into a database');

if (process.argv[2] === 'teams') {
  const { registerTeamsCommand } = await import('./teams.js');
  registerTeamsCommand(program);
} else program.command('teams').description('manage the teams of an organization');

if (process.argv[2] === 'authors') {
  const { registerAuthorsCommand } = await import('./authors.js');
  registerAuthorsCommand(program);
} else program.command('authors').description('manage the authors of an organization');

if (process.argv[2] === 'rules') {
  const { registerRulesCommand } = await import('./rules.js');
  registerRulesCommand(program);
} else program.command('rules').description('manage the rules of an organization that classify its work units');

if (process.argv[2] === 'corrections') {
  const { registerCorrectionsCommand } = await import('./corrections.js');
  registerCorrectionsCommand(program);
} else program.command('corrections').description('correct the classification of single work units');

if (process.argv[2] === 'forget') {
  const { registerForgetCommand } = await import('./forget.js');
  registerForgetCommand(program);
} else program.command('forget').description('remove a repository, or erase a person from the records');

if (process.argv[2] === 'service-tokens') {
  const { registerServiceTokensCommand } = await import('./service-tokens.js');
  registerServiceTokensCommand(program);
} else program.command('service-tokens').description('manage the tokens with which programs act for an organization');

if (process.argv[2] === 'users') {
  const { registerUsersCommand } = await import('./users.js');
  registerUsersCommand(program);
} else program.command('users').description('manage accounts');

if (process.argv[2] === 'organizations') {
  const { registerOrganizationsCommand } = await import('./organizations.js');
  registerOrganizationsCommand(program);
} else program.command('organizations').description('list organizations');

if (process.argv[2] === 'audit') {
  const { registerAuditCommand } = await import('./audit.js');
  registerAuditCommand(program);
} else program.command('audit').description('print the audit log of the installation');

registerContractTools(program);

if (process.argv[2] === 'classify') {
  const { registerClassifyCommand } = await import('./classify.js');
  registerClassifyCommand(program);
} else program.command('classify').description('explain which rules classify a work unit');

if (process.argv[2] === 'query') {
  const { registerQueryCommand } = await import('./query.js');
  registerQueryCommand(program);
} else program.command('query').description('run a query of the Analytics API on a database, or on a server');

if (process.argv[2] === 'sql') {
  const { registerSqlCommand } = await import('./sql.js');
  registerSqlCommand(program);
} else program.command('sql').description('let programs read the records of an organization with SQL');

registerLoginCommands(program);
registerMcpCommand(program);
registerPushCommand(program);

if (process.argv[2] === 'api') {
  const { registerApiCommand } = await import('./api/register.js');
  registerApiCommand(program, process.argv.slice(3));
} else program.command('api').description('call an operation of a server');

program
  .command('completion')
  .description('print the completion script of a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  .action((shell: Shell) => {
    process.stdout.write(
      completionScript(
        shell,
        program.commands.map((each) => each.name()),
      ),
    );
  });

// Loading the settings takes time that only this help text needs.
let settingsHelp = '';
if (process.argv[2] === 'serve' && process.argv.some((each) => each === '--help' || each === '-h')) {
  const { describeSettings } = await import('./settings-help.js');
  settingsHelp = describeSettings();
}

await program.parseAsync();

async function environmentOf(options: ConfigOption): Promise<Environment> {
  const { commandEnvironment } = await import('./environment.js');
  return commandEnvironment(options);
}

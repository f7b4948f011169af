/** `plumbline sql`: lets programs such as Grafana read the records and work units of an organization with SQL. */
import type { Command } from 'commander';
import type { GrantOptions, ReadersOptions } from './sql-readers.js';
import { reportingUsage } from './work-units.js';

const HELP = `
A reader is a role of PostgreSQL, or a user of ClickHouse. It sees the views of plumbline_sql, with the rows of one
organization, and nothing else. src/analytics/SQL.md documents the views.

Examples:
  plumbline sql grant --organization 3f0c... --role grafana
  plumbline sql grant --organization 3f0c... --role grafana --print > role.sql    for an administrator
  plumbline sql list
  plumbline sql revoke --role grafana`;

export function registerSqlCommand(program: Command): void {
  const sql = program
    .command('sql')
    .description('let programs read the records of an organization with SQL')
    .addHelpText('after', HELP);

  withDatabase(
    sql
      .command('grant')
      .description('create a reader, or give a reader a new password and limits; prints a generated password once')
      .requiredOption('--organization <id>', 'organization that it reads')
      .requiredOption('--role <name>', 'name of the role')
      .option('--password-file <file>', 'take the password from a file; - is standard input')
      .option('--connections <number>', 'connections at a time', '5')
      .option('--timeout <seconds>', 'time limit of a statement, which the reader can change in PostgreSQL', '60')
      .option('--existing', 'the role exists: leave its password and limits as they are')
      .option('--print', 'print the statements that create the role, and change nothing'),
  ).action((options: GrantOptions) =>
    reportingUsage('sql grant', async () => (await import('./sql-readers.js')).grant(options)),
  );

  withDatabase(
    sql
      .command('revoke')
      .description('take the right to read from a reader, and drop its role')
      .requiredOption('--role <name>', 'name of the role'),
  ).action((options: ReadersOptions & { role: string }) =>
    reportingUsage('sql revoke', async () => (await import('./sql-readers.js')).revoke(options)),
  );

  withDatabase(
    sql.command('list').description('list the readers').option('--json', 'print one JSON object per line'),
  ).action((options: ReadersOptions & { json?: true }) =>
    reportingUsage('sql list', async () => (await import('./sql-readers.js')).list(options)),
  );

  withDatabase(sql.command('views').description('replace the views by those of this release, after an upgrade')).action(
    (options: ReadersOptions) =>
      reportingUsage('sql views', async () => (await import('./sql-readers.js')).replaceViews(options)),
  );
}

function withDatabase(command: Command): Command {
  return command
    .option('--db <uri>', 'database of the work units (default: ANALYTICS_URI, DATABASE_URI, else the embedded one)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)');
}

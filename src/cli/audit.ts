/** `plumbline audit`: prints the audit log of the installation, from the database. */
import { Option, type Command } from 'commander';
import type { AuditOptions } from './read-audit-log.js';

const HELP = `
The newest records come first. Times are in UTC.

Examples:
  plumbline audit --since 2026-03-01 --event LOGIN_FAILED
  plumbline audit --user sam@example.com --limit 20
  plumbline audit --organization b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03 --format ndjson > audit.ndjson`;

export function registerAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('print the audit log of all organizations, and of what is outside of them')
    .option('--since <time>', 'only records since a day or a time (RFC 3339)')
    .option('--until <time>', 'only records before a day or a time')
    .option('--event <action>', 'only records of an action, such as LOGIN_FAILED')
    .option('--user <account>', 'only records of actions by an account (its address or id)')
    .option('--organization <id>', 'only records of an organization')
    .option('--limit <count>', 'print at most so many records (default: all)')
    .addOption(new Option('--format <format>', 'output').choices(['table', 'json', 'ndjson']).default('table'))
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .addHelpText('after', HELP)
    .action(async (options: AuditOptions) => {
      const { printAuditLog } = await import('./read-audit-log.js');
      await printAuditLog(options);
    });
}

/** `plumbline audit`: prints the audit log of the installation, from the database. */
import { beginsWithDay } from '@plumbline/contract/instant';
import { isUuid } from '@plumbline/contract/system/uuid';
import { InvalidArgumentError, Option, type Command } from 'commander';
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
    .option('--since <time>', 'only records since a day or a time (RFC 3339)', timeOf)
    .option('--until <time>', 'only records before a day or a time', timeOf)
    .option('--event <action>', 'only records of an action, such as LOGIN_FAILED')
    .option('--user <account>', 'only records of actions by an account (its address or id)')
    .option('--organization <id>', 'only records of an organization', idOf)
    .option('--limit <count>', 'print at most so many records (default: all)', limitOf)
    .addOption(new Option('--format <format>', 'output').choices(['table', 'json', 'ndjson']).default('table'))
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .addHelpText('after', HELP)
    .action(async (options: AuditOptions) => {
      const { printAuditLog } = await import('./read-audit-log.js');
      await printAuditLog(options);
    });
}

/** A day begins at midnight UTC. */
function timeOf(text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i.test(text);
  const time = new Date(text.toUpperCase());
  if (isTime && beginsWithDay(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Write a day (2026-03-01) or a time (2026-03-01T09:15:00Z).');
}

function idOf(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Write the id of the organization.');
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1 on.');
}

/** `plumbline forget`: removes a repository or old records, or erases a person from the records. */
import type { Command } from 'commander';
import type { CorrectableResources } from '../sync/work-units/derivation/resources.js';
import type { ErasedPerson } from '../sync/forget-person.js';
import { oneLine } from './one-line.js';
import { UsageError } from './usage-error.js';
import type { OpenRecords, WorkUnitOptions } from './work-units.js';

type ForgetOptions = WorkUnitOptions & { readonly json?: boolean };

const REPOSITORY_HELP = `
Records, work units, corrections and the states of syncs are removed from the database. The next sync that covers the
repository reads it again: remove it from the sync, or exclude it there, before.

Examples:
  plumbline forget repository acme/api --yes
  plumbline forget repository https://github.com/acme/api --org 0f52... --yes`;

const PERSON_HELP = `
One pseudonym replaces all names, logins and addresses of the person in records, teams, corrections and work units, so
that figures stay as they are. Records, .mailmap and the authors file say which of them are of one person. Hosts report
requests and reviews by login: if none of these says whose login it is, name it with the address.

The organization keeps salted hashes of what was erased, so that later syncs store the pseudonym as well. With such a
hash, a reader of the database can test whether an address that they guess is among the erased ones.

What stays: names of repositories, paths of files, single words in texts unless they are marked as names (@ada),
accounts of the console, backups, and what the hosts and repositories themselves have. Remove the person from the files
that you import, too. If syncs write to two databases, erase the person in each. If they use a rules file, name it here:
work units are derived again by it.

Examples:
  plumbline forget person ada@example.com --yes
  plumbline forget person ada@example.com ada-l --org 0f52... --yes --json`;

const RECORDS_HELP = `
Commits, requests, issues, incidents, builds and deployments that ended before the last so many days are removed with
their work units. Open requests and issues stay, and so do records that figures of these days depend on. Charts say since
when work is known. Set RECORD_RETENTION_DAYS for syncs, too: they then do not read older records again.

Examples:
  plumbline forget records --days 730 --yes
  plumbline forget records --days 365 --db mongodb://db.example.com/records --yes --json`;

/** Each target of a sync has a lock with a connection, as three concurrent repositories have them. */
const CONCURRENCY = 3;

export function registerForgetCommand(program: Command): void {
  const command = program
    .command('forget')
    .description('remove a repository or old records, or erase a person from the records');
  command
    .command('repository')
    .description('remove the records and work units of a repository for good')
    .argument('<repository>', 'name (owner/name), address or id')
    .requiredOption('--yes', 'confirm the removal')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', REPOSITORY_HELP)
    .action(async (repository: string, options: ForgetOptions) => {
      const { reportingUsage, withDerivation } = await import('./work-units.js');
      await reportingUsage('forget', () =>
        withDerivation(options, (resources) => forgetRepository(repository, resources, options), CONCURRENCY),
      );
    });
  command
    .command('records')
    .description('remove records and work units that are older than a number of days for good')
    .requiredOption('--days <days>', 'days before today of which records are kept')
    .requiredOption('--yes', 'confirm the removal')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite, clickhouse or mongo, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', RECORDS_HELP)
    .action(async (options: ForgetOptions & { readonly days: string }) => {
      const { reportingUsage, withRecords } = await import('./work-units.js');
      await reportingUsage('forget', () =>
        withRecords(options, (records) => forgetRecords(records, options), CONCURRENCY),
      );
    });
  command
    .command('person')
    .description('replace the names and addresses of a person by a pseudonym for good')
    .argument('<identity...>', 'e-mail, login or name; several are of the same person')
    .requiredOption('--yes', 'confirm the erasure')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite, clickhouse or mongo, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', PERSON_HELP)
    .action(async (identities: readonly string[], options: ForgetOptions) => {
      const { reportingUsage, withRecords } = await import('./work-units.js');
      await reportingUsage('forget', () =>
        withRecords(options, (records) => forgetPerson(identities, records, options), CONCURRENCY),
      );
    });
}

async function forgetRecords(
  { orgId, sink, resources, dependencies }: OpenRecords,
  { days, json }: ForgetOptions & { readonly days: string },
): Promise<void> {
  if (!/^[1-9]\d{0,4}$/.test(days)) throw new UsageError('--days must be a number of days, at least 1');
  const { removeOldRecords } = await import('../sync/retention/retention.js');
  const { describeRemoved } = await import('./removed-records.js');
  const removed = await removeOldRecords({ orgId, sink, resources, dependencies }, { days: Number(days) });
  console.log(
    json === true
      ? JSON.stringify({ removed: removed.records, busy: removed.busy })
      : describeRemoved(removed, false).join('\n'),
  );
}

async function forgetPerson(
  identities: readonly string[],
  records: OpenRecords,
  { json }: ForgetOptions,
): Promise<void> {
  const erasure = await import('../sync/forget-person.js');
  const erased = await erasure.forgetPerson(records, identities);
  const { orgId } = records;
  if ('reason' in erased) {
    const asked = identities.map((identity) => JSON.stringify(identity)).join(', ');
    throw new UsageError(
      erased.reason === 'unknown'
        ? `${orgId} has no person ${asked}`
        : `${orgId} has several people ${asked}, or one with other names: name an address (${erased.addresses.map(oneLine).join(', ')})`,
    );
  }
  console.log(json === true ? JSON.stringify(asJson(erased)) : asLines(identities, erased).join('\n'));
}

function asJson({ pseudonym, identities, changed, workUnits, sameName, unseen }: ErasedPerson): object {
  return { pseudonym, identities, changed, work_units: workUnits, same_name: sameName, unseen };
}

function asLines(
  asked: readonly string[],
  { pseudonym, identities, changed, workUnits, sameName, unseen }: ErasedPerson,
): string[] {
  const listed = (names: readonly string[]): string => names.map(oneLine).join(', ');
  const tables = Object.entries(changed);
  const width = Math.max(...tables.map(([table]) => table.length));
  return [
    `${listed(asked)} is erased: ${pseudonym} replaces ${identities} names and addresses`,
    ...tables.map(([table, rows]) => `  ${table.padEnd(width)}  ${rows} changed`),
    `${workUnits} work units derived again`,
    ...(sameName.length === 0 ? [] : [`Other addresses with the same name stay: ${listed(sameName)}`]),
    ...(unseen.length === 0 ? [] : [`No record is of ${listed(unseen)}; texts were searched for it`]),
  ];
}

async function forgetRepository(
  named: string,
  resources: CorrectableResources,
  { json }: ForgetOptions,
): Promise<void> {
  const { forgetStoredRepository } = await import('../sync/forget-repository.js');
  const { id, name } = await find(named, resources);
  await forgetStoredRepository(resources, id);
  console.log(json === true ? JSON.stringify({ id, name, removed: true }) : `${oneLine(name)} (${id}) is removed`);
}

/** @throws UsageError if no repository of the organization, or more than one, has the name */
async function find(
  named: string,
  { orgId, records }: CorrectableResources,
): Promise<{ readonly id: string; readonly name: string }> {
  const { identityOfRemote, repositoryId } = await import('../sync/identity.js');
  const remote = identityOfRemote(named);
  const id = remote === undefined ? named : repositoryId(orgId, remote.identity);
  const found = (await records.repositories(orgId)).filter((each) => each.id === id || each.name === named);
  const [only, ...others] = found;
  if (only === undefined) throw new UsageError(`${orgId} has no repository ${JSON.stringify(named)}`);
  if (others.length === 0) return only;
  const ids = found.map((each) => each.id).join(', ');
  throw new UsageError(
    `${orgId} has ${found.length} repositories ${JSON.stringify(named)}: name one by its id (${ids})`,
  );
}

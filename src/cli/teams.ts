/** `plumbline teams import`: stores the teams of an organization, and assigns its work units to them. */
import type { Command } from 'commander';
import type { WorkUnitOptions } from './work-units.js';

const HELP = `
The file is YAML:
  teams:
    - id: payments                       what the analytics show
      name: Payments                     optional
      members: [ada@example.com, grace]  e-mails or logins
      repositories: ['acme/pay-*']       owner/name; * stands for anything

A work unit goes to the team that has its author, else to the one that has its repository, else to the owner by the
repository's CODEOWNERS, else it is unassigned. Teams of an earlier import are replaced. Where syncs use a rules file,
give the same one here: units are derived again by it.`;

export function registerTeamsCommand(program: Command): void {
  program
    .command('teams')
    .description('manage the teams of an organization')
    .command('import')
    .description('store the teams of a file, and assign work units to them')
    .argument('<file>', 'teams file')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, options: WorkUnitOptions & { readonly json?: boolean }) => {
      const { reportingUsage } = await import('./work-units.js');
      await reportingUsage('teams import', () => importFile(file, options));
    });
}

async function importFile(file: string, options: WorkUnitOptions & { readonly json?: boolean }): Promise<void> {
  const { withDeriver } = await import('./work-units.js');
  const { loadTeams } = await import('../sync/work-units/teams/teams-file.js');
  const { importTeams } = await import('../sync/work-units/teams/import-teams.js');
  const teams = await loadTeams(file);
  await withDeriver(options, async (deriver) => {
    const { repositories, workUnits } = await importTeams(deriver, teams, (name) => {
      console.error(`assigning the work units of ${name}`);
    });
    const summary = { org_id: deriver.orgId, teams: teams.map(({ id }) => id), repositories, work_units: workUnits };
    if (options.json === true) console.log(JSON.stringify(summary));
    else
      console.log(
        `${teams.length} teams of ${deriver.orgId} stored; ${workUnits} work units of ${repositories} repositories derived again`,
      );
  });
}

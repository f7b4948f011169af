/** `plumbline teams import`: stores the teams of an organization, and assigns its work units to them. */
import type { Command } from 'commander';
import { registerImportCommand } from './import-command.js';

const HELP = `
The file is YAML:
  teams:
    - id: payments                       shown in the analytics
      name: Payments                     optional
      members: [ada@example.com, grace]  e-mails or logins
      repositories: ['acme/pay-*']       owner/name; * matches any characters

A work unit goes to the team that has its author, else to the one that has its repository, else to the owner by the
repository's CODEOWNERS, else it is unassigned. Teams of an earlier import are replaced. Where syncs use a rules file,
give the same one here: units are derived again by it.`;

export function registerTeamsCommand(program: Command): void {
  registerImportCommand(program, {
    name: 'teams',
    description: 'manage the teams of an organization',
    purpose: 'store the teams of a file, and assign work units to them',
    help: HELP,
    progress: 'assigning the work units of',
    load: async (file) => (await import('../sync/work-units/teams/teams-file.js')).loadTeams(file),
    store: async (resources, teams, report) => {
      const { importTeams } = await import('../sync/work-units/teams/import-teams.js');
      return importTeams(resources, teams, report);
    },
    count: ({ length }) => length,
    listed: (teams) => teams.map(({ id }) => id),
  });
}

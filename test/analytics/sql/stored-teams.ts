import { withStoredRecords } from '../../../src/platform/sources/records/stored-records.js';
import { teamsAsText, type Team } from '../../../src/sync/work-units/teams/teams-file.js';
import { importConnector } from '../../support/chdb.js';

/** Stores the teams of an organization, without assigning units to them. */
export async function writeStoredTeams(store: string, orgId: string, teams: readonly Team[]): Promise<void> {
  const access = { signal: new AbortController().signal, importConnector, orgId };
  await withStoredRecords({ store, rulesFile: null }, access, ({ records }) =>
    records.writeFile('teams', orgId, teamsAsText(teams)),
  );
}

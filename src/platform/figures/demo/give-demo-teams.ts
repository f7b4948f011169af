import { SyncError } from '../../../sync/failures.js';
import { importTeams } from '../../../sync/work-units/teams/import-teams.js';
import { teamsFromText } from '../../../sync/work-units/teams/teams-file.js';
import { withStoredRecords, type RecordsOptions, type StoredRecords } from '../../sources/records/stored-records.js';
import { demoTeams } from './demo-content.js';

/**
 * Creates the demo's teams in an organization without teams. Existing teams are not changed.
 *
 * Database failures are ignored here, because the following steps report them as well.
 */
export async function giveDemoTeams(
  records: StoredRecords & Pick<RecordsOptions, 'orgId'>,
  { signal, locks, importConnector }: Omit<RecordsOptions, 'orgId'>,
): Promise<void> {
  const options = {
    orgId: records.orgId,
    signal,
    ...(locks === undefined ? {} : { locks }),
    ...(importConnector === undefined ? {} : { importConnector }),
  };
  try {
    await withStoredRecords(records, options, async (resources) => {
      const teams = teamsFromText(await resources.records.readFile('teams', records.orgId));
      if (teams.length === 0) await importTeams(resources, demoTeams);
    });
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
  }
}

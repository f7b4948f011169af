import { cleanedUp } from '../../../sync/cleaned-up.js';
import { forgetOrganization } from '../../../sync/forget-organization.js';
import { forgetRepository } from '../../../sync/forget-repository.js';
import { identityOfRemote, repositoryId } from '../../../sync/identity.js';
import { addressOfMadeUp } from '../../../sync/providers/synthetic/open-synthetic.js';
import { storePushedRows } from '../../../sync/pushed-records.js';
import { openPostgresLocks } from '../../../sync/sinks/postgres-locks.js';
import { assignTeams, importTeams } from '../../../sync/work-units/teams/import-teams.js';
import { teamsAsText } from '../../../sync/work-units/teams/teams-file.js';
import type { OpenDerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { demoRepositories, demoTeams } from '../../figures/demo/demo-content.js';
import { pushedRowsOf, type PushedContent } from '../pushed-records/pushed-rows.js';
import { withStoredRecords, type RecordsOptions, type StoredRecords } from '../records/stored-records.js';
import type { StoreTaskKind } from './store-tasks.store.js';

/** A task as plain data, so that it can be sent to a process. */
export interface StoreTask extends StoredRecords {
  readonly kind: StoreTaskKind;
  readonly orgId: string;
  /** Connection string of the PostgreSQL that holds repository locks; null: the store has its own locks. */
  readonly locks: string | null;
  /** What `store_pushed_records` stores; absent for the other kinds. */
  readonly pushed?: readonly PushedContent[];
}

const tasks: Readonly<
  Record<StoreTaskKind, (resources: OpenDerivationResources, task: StoreTask) => Promise<unknown>>
> = {
  remove_demo_data: removeDemoData,
  // Only reads the stored teams, because users may change them concurrently.
  assign_teams: (resources) => assignTeams(resources),
  remove_organization: forgetOrganization,
  store_pushed_records: (resources, { pushed = [] }) => storePushedRows(resources, pushedRowsOf(pushed)),
};

/**
 * Runs a task. Tasks are idempotent, also after an interruption.
 *
 * @throws SyncError with a message for users
 */
export async function runStoreTask(
  task: StoreTask,
  signal: AbortSignal,
  importConnector?: ImportConnector,
): Promise<void> {
  const options = { orgId: task.orgId, signal, ...(importConnector === undefined ? {} : { importConnector }) };
  if (task.locks === null) return perform(task, options);
  const locks = openPostgresLocks(task.locks);
  return cleanedUp(
    () => perform(task, { ...options, locks }),
    () => locks.close(),
  );
}

function perform(task: StoreTask, options: RecordsOptions): Promise<void> {
  return withStoredRecords(task, options, async (resources) => {
    await tasks[task.kind](resources, task);
  });
}

type ImportConnector = (name: string) => Promise<unknown>;

async function removeDemoData(resources: OpenDerivationResources): Promise<void> {
  const { orgId, records } = resources;
  for (const name of demoRepositories) {
    const identity = identityOfRemote(addressOfMadeUp(name))?.identity ?? name;
    await forgetRepository(resources, repositoryId(orgId, identity), 'synthetic');
  }
  // Demo teams that users have changed are kept.
  if ((await records.readFile('teams', orgId)) === teamsAsText(demoTeams)) await importTeams(resources, []);
}

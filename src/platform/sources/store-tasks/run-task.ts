import { cleanedUp } from '../../../sync/cleaned-up.js';
import { forgetOrganization } from '../../../sync/forget-organization.js';
import { forgetRepository } from '../../../sync/forget-repository.js';
import { identityOfRemote, repositoryId } from '../../../sync/identity.js';
import { addressOfMadeUp } from '../../../sync/providers/synthetic/open-synthetic.js';
import { passwordsOf } from '../../../sync/request.js';
import { removeOldRecords, type RemovedRecords } from '../../../sync/retention/retention.js';
import { openPostgresLocks } from '../../../sync/sinks/postgres-locks.js';
import { assignTeams, importTeams } from '../../../sync/work-units/teams/import-teams.js';
import { teamsAsText } from '../../../sync/work-units/teams/teams-file.js';
import type { OpenDerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { demoRepositories, demoTeams } from '../../figures/demo/demo-content.js';
import type { WaitingPush } from '../pushed-records/pushed-records.store.js';
import { storePushes, type StoredPushes } from '../pushed-records/store-pushes.js';
import { withStoredRecords, type RecordsOptions, type StoredRecords } from '../records/stored-records.js';
import type { StoreTaskKind } from './store-tasks.store.js';

/** The outcome of a task. */
export interface TaskEnd {
  /** A message for users; null: it succeeded. */
  readonly error: string | null;
  /** The outcome of the pushes of the task, also where some wait for the next attempt. */
  readonly pushes?: Omit<StoredPushes, 'error'>;
  /** What was removed, if the task removes old records. */
  readonly removed?: RemovedRecords;
}

/** A task as plain data, so that it can be sent to a process. */
export interface StoreTask extends StoredRecords {
  readonly kind: StoreTaskKind;
  readonly orgId: string;
  /** Connection string of the PostgreSQL that holds repository locks; null: the store has its own locks. */
  readonly locks: string | null;
  /** What `store_pushed_records` stores; absent for the other kinds. */
  readonly pushes?: readonly WaitingPush[];
  /** How `prune_records` removes; absent for the other kinds. */
  readonly retention?: RecordRetention;
}

/** How old records are removed. */
export interface RecordRetention {
  /** Days before today of which records are kept. */
  readonly days: number;
  /** Only counts. */
  readonly dryRun: boolean;
  /** The attempt ends after so many seconds, and another one continues; null: it removes everything. */
  readonly seconds: number | null;
}

const tasks: Readonly<
  Record<StoreTaskKind, (resources: OpenDerivationResources, task: StoreTask) => Promise<TaskEnd>>
> = {
  remove_demo_data: (resources) => done(removeDemoData(resources)),
  // Only reads the stored teams, because users may change them concurrently.
  assign_teams: (resources) => done(assignTeams(resources)),
  remove_organization: (resources) => done(forgetOrganization(resources)),
  store_pushed_records: async (resources, task) => {
    const { error, ...pushes } = await storePushes(resources, task.pushes ?? [], secretsOf(task));
    return { error, pushes };
  },
  prune_records: async (resources, { retention }) =>
    retention === undefined ? { error: null } : { error: null, removed: await pruneRecords(resources, retention) },
};

function pruneRecords(
  resources: OpenDerivationResources,
  { days, dryRun, seconds }: RecordRetention,
): Promise<RemovedRecords> {
  const { orgId, sink, dependencies } = resources;
  const began = performance.now();
  const isTimeUp = seconds === null ? {} : { isTimeUp: () => performance.now() - began > seconds * 1000 };
  return removeOldRecords({ orgId, sink, resources, dependencies }, { days, dryRun, ...isTimeUp });
}

async function done(work: Promise<unknown>): Promise<TaskEnd> {
  await work;
  return { error: null };
}

/** The addresses of the databases, and their passwords. */
export function secretsOf({ store, locks }: Pick<StoreTask, 'store' | 'locks'>): string[] {
  return [store, locks].flatMap((address) => (address === null ? [] : [address, ...passwordsOf(address)]));
}

/**
 * Runs a task. Tasks are idempotent, also after an interruption.
 *
 * @throws SyncError with a message for users
 */
export async function runStoreTask(
  task: StoreTask,
  signal: AbortSignal,
  importConnector?: ImportConnector,
): Promise<TaskEnd> {
  const options = { orgId: task.orgId, signal, ...(importConnector === undefined ? {} : { importConnector }) };
  if (task.locks === null) return perform(task, options);
  const locks = openPostgresLocks(task.locks);
  return cleanedUp(
    () => perform(task, { ...options, locks }),
    () => locks.close(),
  );
}

function perform(task: StoreTask, options: RecordsOptions): Promise<TaskEnd> {
  return withStoredRecords(task, options, (resources) => tasks[task.kind](resources, task));
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

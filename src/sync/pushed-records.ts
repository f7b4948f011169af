/** Stores records that programs have pushed, beside those that syncs read, and derives their work units. */
import { cleanedUp } from './cleaned-up.js';
import { withoutErased } from './erasure/erasing-sink.js';
import { identityOfRemote, repositoryId, withoutCredentials } from './identity.js';
import { systemRandom } from './random.js';
import { tableNamed, type AnyRow, type Row, type TableName } from './records.js';
import { PUSH_REQUEST } from './known-history.js';
import { latestSource, lockOfPushes } from './repository-locks.js';
import type { Sink, StateKey, SyncState } from './sinks/sink.js';
import { tryRenewedLock, type RenewedLock } from './sinks/wait-for-lock.js';
import { stampedPage } from './stamped-page.js';
import type { Target } from './targets.js';
import { beginDerivation } from './work-units/derivation/derivation.js';
import { tryDerivationLock, type DerivationResources } from './work-units/derivation/resources.js';

/** The targets whose records can be pushed, each with the rows of one table. */
export type PushedTarget = Extract<Target, 'deployments' | 'incidents' | 'cicd' | 'issues'>;

/** Records of one target in one repository. */
export interface PushedRows {
  /** An address of which `identityOfRemote` knows the identity. */
  readonly repository: string;
  readonly target: PushedTarget;
  readonly table: TableName;
  /**
   * The row of each key, from the stored one, if there is one. Sources that report the beginning and the end of
   * something apart need it.
   */
  readonly rows: ReadonlyMap<string | number, (stored: AnyRow | undefined) => AnyRow>;
  /** When the oldest of the records began, in epoch milliseconds. */
  readonly oldest: number;
}

/**
 * Stores the rows in their order. Idempotent: after an interruption, the same rows are stored once more.
 *
 * @throws RepositoryBusy, SyncError (`lock_lost`, `database_failed`), among others
 */
export async function storePushedRows(resources: DerivationResources, pushed: readonly PushedRows[]): Promise<void> {
  const sink = withoutErased(resources.sink, resources.orgId);
  for (const rows of pushed) {
    resources.dependencies.signal.throwIfAborted();
    await storeRows({ ...resources, sink, records: sink.derivation ?? resources.records }, rows);
  }
}

async function storeRows(resources: DerivationResources, { repository, ...rows }: PushedRows): Promise<void> {
  const { sink, orgId, dependencies } = resources;
  const identity = identityOfRemote(repository);
  if (identity === undefined) throw new Error('A pushed record names no repository of a host');
  const repoId = repositoryId(orgId, identity.identity);
  const key: StateKey = { repoId, target: rows.target, source: 'push' };
  const lock = await takeLocks(resources, repoId, identity.name);
  await cleanedUp(
    async () => {
      const stored = await sink.readState(key);
      const record = await rowOfUnknown(sink, repoId, identity.name, repository);
      const { current, movesTimes } = await currentRows(resources, repoId, rows);
      const units = await beginDerivation(resources, key, { codeowners: undefined, isInOrder: false, movesTimes });
      await cleanedUp(
        async () => {
          const now = dependencies.now();
          const state = stateAfter(stored, rows.oldest, now);
          const page = stampedPage(
            { record, records: { [rows.table]: current } },
            { key, state, time: Math.max(units.since, now), orgId },
          );
          await lock.assertHeld();
          await sink.apply(page);
          await units.stored(page);
          await units.finish(state.revision);
        },
        () => units.close(),
      );
    },
    () => lock.release(),
  );
}

/** A sync or an erasure holds the repository: the push is to be tried again later. */
export class RepositoryBusy extends Error {}

/**
 * Takes the lock of pushes, and sees that a derivation can begin. It does not wait for either: a first sync derives while
 * it reads, perhaps for hours, and pushes into other repositories are not to wait for it.
 */
async function takeLocks(resources: DerivationResources, repoId: string, name: string): Promise<RenewedLock> {
  const { sink, dependencies } = resources;
  const busy = new RepositoryBusy(`${name} is being synced or changed; its records are stored after that.`);
  const lock = await tryRenewedLock(sink, lockOfPushes(repoId), dependencies.now);
  if (lock === undefined) throw busy;
  const derivation = await tryDerivationLock(resources, repoId).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  if (derivation === undefined) {
    await lock.release();
    throw busy;
  }
  await derivation.release();
  return lock;
}

async function currentRows(
  { records }: DerivationResources,
  repoId: string,
  { table: name, rows }: Omit<PushedRows, 'repository'>,
): Promise<{ readonly current: readonly AnyRow[]; readonly movesTimes: boolean }> {
  const table = tableNamed(name);
  const key = table.key.find((column) => column !== 'repo_id') ?? '';
  const columns = table.columns.map((column) => column.name).filter((column) => !STAMPED.has(column));
  const where = { kind: 'in', column: key, values: [...rows.keys()] } as const;
  const stored = new Map<unknown, AnyRow>();
  for await (const batch of records.rows({ table, repoId, columns, where }))
    for (const row of batch) stored.set(row[key], row);
  const current = [...rows].map(([id, row]) => ({ before: stored.get(id), after: row(stored.get(id)) }));
  return {
    current: current.map(({ after }) => after),
    movesTimes: current.some(({ before, after }) => before !== undefined && hasMoved(before, after)),
  };
}

/** What decides on the figures of other records: on the requests in a deployment, and on the deployment that failed. */
const DECISIVE = ['started_at', 'deployed_at', 'committed_at', 'commit_hash', 'created_at'];

/** A deployment that had not succeeded decided on nothing. */
function hasMoved(before: AnyRow, after: AnyRow): boolean {
  if (before['deployment_id'] !== undefined && before['deployed_at'] === null) return false;
  return DECISIVE.some((column) => (before[column] ?? null) !== (after[column] ?? null));
}

/** The columns that the page adds. */
const STAMPED: ReadonlySet<string> = new Set(['repo_id', 'org_id', 'source', 'last_synced']);

/** The row of a repository of which nothing is stored; undefined for another, of which syncs know more than a push. */
async function rowOfUnknown(
  sink: Sink,
  repoId: string,
  name: string,
  address: string,
): Promise<Row<'repos'> | undefined> {
  if ((await latestSource(sink, repoId)) !== undefined) return undefined;
  const url = withoutCredentials(address);
  return {
    repo: name,
    ref: null,
    url,
    default_branch: null,
    created_at: null,
    settings: { source: 'push', url },
    tags: ['push'],
  };
}

/** A program pushes what happens. What happened since the oldest record that it has pushed is therefore known. */
function stateAfter(stored: SyncState | undefined, oldest: number, now: number): SyncState {
  const known = stored?.known;
  return {
    revision: systemRandom.newId(),
    request: PUSH_REQUEST,
    position: null,
    done: true,
    known: { from: Math.min(known?.from ?? now, oldest, now), to: Math.max(known?.to ?? now, now) },
  };
}

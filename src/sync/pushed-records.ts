/** Stores records that programs have pushed, beside those that syncs read, and derives their work units. */
import { cleanedUp } from './cleaned-up.js';
import { withoutErased } from './erasure/erasing-sink.js';
import { identityOfRemote, repositoryId, withoutCredentials } from './identity.js';
import { systemRandom } from './random.js';
import { tableNamed, type AnyRow, type Row, type TableName } from './records.js';
import { latestSource, lockOfPushes } from './repository-locks.js';
import type { Sink, StateKey, SyncState } from './sinks/sink.js';
import { waitForLock } from './sinks/wait-for-lock.js';
import { stampedPage } from './stamped-page.js';
import type { Target } from './targets.js';
import { beginDerivation } from './work-units/derivation/derivation.js';
import type { DerivationResources } from './work-units/derivation/resources.js';

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
 * @throws SyncError (`lock_lost`, `database_failed`), among others
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
  const lock = await waitForLock(sink, lockOfPushes(repoId), dependencies);
  await cleanedUp(
    async () => {
      const stored = await sink.readState(key);
      const record = await rowOfUnknown(sink, repoId, identity.name, repository);
      const units = await beginDerivation(resources, key, { codeowners: undefined, isInOrder: false });
      await cleanedUp(
        async () => {
          const now = dependencies.now();
          const state = stateAfter(stored, rows.oldest, now);
          const page = stampedPage(
            { record, records: { [rows.table]: await currentRows(resources, repoId, rows) } },
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

async function currentRows(
  { records }: DerivationResources,
  repoId: string,
  { table: name, rows }: Omit<PushedRows, 'repository'>,
): Promise<readonly AnyRow[]> {
  const table = tableNamed(name);
  const key = table.key.find((column) => column !== 'repo_id') ?? '';
  const columns = table.columns.map((column) => column.name).filter((column) => !STAMPED.has(column));
  const where = { kind: 'in', column: key, values: [...rows.keys()] } as const;
  const stored = new Map<unknown, AnyRow>();
  for await (const batch of records.rows({ table, repoId, columns, where }))
    for (const row of batch) stored.set(row[key], row);
  return [...rows].map(([id, row]) => row(stored.get(id)));
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
    request: 'push',
    position: null,
    done: true,
    known: { from: Math.min(known?.from ?? now, oldest, now), to: Math.max(known?.to ?? now, now) },
  };
}

/** Opens what keeps work units up to date beside a sink. */
import { openWorkUnitStore } from '../../../analytics/store/open.js';
import type { Exclusively } from '../../../analytics/store/options.js';
import type { WorkUnitStore } from '../../../analytics/work-unit.js';
import { cleanedUp } from '../../cleaned-up.js';
import { SyncError } from '../../failures.js';
import type { LockKey, Sink } from '../../sinks/sink.js';
import { waitForLock } from '../../sinks/wait-for-lock.js';
import type { SyncDependencies } from '../../dependencies.js';
import { createClassifier } from '../classify/classifier.js';
import { loadRules } from '../classify/rules.js';
import type { WorkUnitDeriver } from '../deriver.js';

export interface OpenDeriver extends WorkUnitDeriver {
  close(): Promise<void>;
}

/** What is opened, for whom. */
export interface DeriverOptions {
  readonly orgId: string;
  /** A rules file; undefined for the rules that come with Plumbline. */
  readonly rulesFile: string | undefined;
}

/**
 * Opens the deriver for a sink whose schema is there.
 *
 * @returns undefined where no engine of the analytics reads that kind of database (MongoDB): nothing is derived there
 * @throws FileError for a rules file that is wrong, SyncError (`database_failed`) where the tables cannot be made
 */
export async function openDeriver(
  sink: Sink,
  { orgId, rulesFile }: DeriverOptions,
  dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>,
): Promise<OpenDeriver | undefined> {
  const { derivation, unitsAddress } = sink;
  const rules = await loadRules(rulesFile);
  if (derivation === undefined || unitsAddress === undefined) return undefined;
  const exclusively: Exclusively = async (work) => {
    const lock = await waitForLock(sink, SCHEMA_LOCK, dependencies);
    await cleanedUp(
      () => work(() => lock.assertHeld()),
      () => lock.release(),
    );
  };
  const store = withSyncErrors(
    await openWorkUnitStore(unitsAddress, { now: dependencies.now, log: QUIET, exclusively }),
  );
  try {
    await derivation.ensureSchema();
    await store.ensureSchema();
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    orgId,
    sink,
    records: derivation,
    store,
    classifier: createClassifier(rules),
    dependencies,
    close: () => store.close(),
  };
}

/** The rebuild of the table of work units; no repository has this id. */
export const SCHEMA_LOCK: LockKey = { repoId: 'schema', target: 'work_units', source: 'local' };

/** What goes wrong with the store is thrown, and told with the repository that it belongs to. */
const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Nothing listens.
}

function withSyncErrors(store: WorkUnitStore): WorkUnitStore {
  return {
    ...store,
    ensureSchema: () => failing(() => store.ensureSchema()),
    apply: (change) => failing(() => store.apply(change)),
    find: (orgId, id) => failing(() => store.find(orgId, id)),
    settle: () => failing(async () => store.settle?.()),
  };
}

async function failing<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SyncError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SyncError('database_failed', `The work units cannot be stored or read: ${reason}`, { cause: error });
  }
}

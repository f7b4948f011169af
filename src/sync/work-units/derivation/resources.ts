/** What a derivation of work units reads and writes with, and the lock that serializes derivations of one repository. */
import { openWorkUnitStore } from '../../../analytics/store/open.js';
import type { Exclusively } from '../../../analytics/store/options.js';
import type { CorrectionStore, RecentUnitStore, UnitStore, WorkUnitStore } from '../../../analytics/work-unit.js';
import { cleanedUp } from '../../cleaned-up.js';
import type { SyncDependencies } from '../../dependencies.js';
import { SyncError } from '../../failures.js';
import type { LockKey, Sink } from '../../sinks/sink.js';
import { tryRenewedLock, waitForLock, type RenewedLock } from '../../sinks/wait-for-lock.js';
import { createClassifier, type Classifier } from '../classify/classifier.js';
import { loadRules } from '../classify/rules.js';
import type { DerivationRecords } from './database/records.js';

export interface DerivationResources {
  readonly orgId: string;
  readonly sink: Sink;
  readonly records: DerivationRecords;
  readonly store: UnitStore;
  /** By the rules file; the rules of the organization come in addition. */
  readonly classifier: Classifier;
  readonly dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>;
}

/** In addition, the corrections, which the store applies to the units that a derivation writes. */
export interface CorrectableResources extends DerivationResources {
  readonly corrections: CorrectionStore;
}

/** In addition, the latest units, which tell what other rules would change. */
export interface PreviewResources extends CorrectableResources {
  readonly recent: RecentUnitStore;
}

export interface OpenDerivationResources extends PreviewResources {
  close(): Promise<void>;
}

export interface DerivationOptions {
  readonly orgId: string;
  /** A rules file; undefined: the built-in rules. */
  readonly rulesFile: string | undefined;
}

/**
 * Opens the resources for a sink whose schema exists.
 *
 * @returns undefined for a database that analytics cannot read (MongoDB); no units are derived there
 * @throws FileError for an invalid rules file, SyncError (`database_failed`) if the tables cannot be created
 */
export async function openDerivationResources(
  sink: Sink,
  { orgId, rulesFile }: DerivationOptions,
  dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>,
): Promise<OpenDerivationResources | undefined> {
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
    corrections: store,
    recent: store,
    classifier: createClassifier(rules),
    dependencies,
    close: () => store.close(),
  };
}

/** The lock for rebuilding the table of work units; no repository has this id. */
const SCHEMA_LOCK: LockKey = { repoId: 'schema', target: 'work_units', source: 'local' };

/** Failures of the store are thrown, and reported with their repository. */
const QUIET = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Messages are dropped.
}

function withSyncErrors(store: WorkUnitStore): WorkUnitStore {
  return {
    ...store,
    ensureSchema: () => failing(() => store.ensureSchema()),
    apply: (change) => failing(() => store.apply(change)),
    find: (orgId, id) => failing(() => store.find(orgId, id)),
    correct: (orgId, correction) => failing(() => store.correct(orgId, correction)),
    withdraw: (orgId, unitId, classified) => failing(() => store.withdraw(orgId, unitId, classified)),
    classify: (orgId, unitId, classified) => failing(() => store.classify(orgId, unitId, classified)),
    findCorrection: (orgId, unitId) => failing(() => store.findCorrection(orgId, unitId)),
    listCorrections: (orgId, after, limit) => failing(() => store.listCorrections(orgId, after, limit)),
    countCorrections: (orgId) => failing(() => store.countCorrections(orgId)),
    recentUnits: (orgId, since, limit) => failing(() => store.recentUnits(orgId, since, limit)),
    clearCorrections: (orgId, repoId) => failing(() => store.clearCorrections(orgId, repoId)),
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

/**
 * Runs the action while no other derivation of the repository runs.
 *
 * @param action receives resources whose signal aborts when the lock is lost
 */
export async function underLock<Result>(
  resources: DerivationResources,
  repoId: string,
  action: (resources: DerivationResources) => Promise<Result>,
): Promise<Result> {
  const lock = await waitForLock(resources.sink, lockOf(repoId), resources.dependencies);
  return cleanedUp(
    () => action(whileHeld(resources, lock)),
    () => lock.release(),
  );
}

/** Takes the same lock without waiting; undefined while another derivation holds it. */
export function tryDerivationLock(
  { sink, dependencies }: DerivationResources,
  repoId: string,
): Promise<RenewedLock | undefined> {
  return tryRenewedLock(sink, lockOf(repoId), dependencies.now);
}

/** The same resources, whose signal also aborts when the lock is lost. */
export function whileHeld(resources: DerivationResources, lock: RenewedLock): DerivationResources {
  const signal = AbortSignal.any([resources.dependencies.signal, lock.signal]);
  return { ...resources, dependencies: { ...resources.dependencies, signal } };
}

function lockOf(repoId: string): LockKey {
  return { repoId, target: 'work_units', source: 'local' };
}

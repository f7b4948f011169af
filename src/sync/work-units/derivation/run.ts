/** One derivation: what it reads and writes with, and what all kinds of records share. */
import type { WorkUnit, WorkUnitChange, UnitStore } from '../../../analytics/work-unit.js';
import type { DerivationRecords, Where } from './database/records.js';
import { closingDifferences, type ClosingKind, type StoredClosing } from './closings.js';
import type { Steps } from '@plumbline/contract/system/slices';
import type { Changed, Extent, RepositoryContext } from './plan.js';
import { RecordReader } from './read.js';

/** What one derivation of a repository is given. */
export interface RepositoryDerivation {
  readonly orgId: string;
  readonly context: RepositoryContext;
  readonly records: DerivationRecords;
  readonly store: UnitStore;
  readonly changed: Changed;
  /** No unit of this repository was ever stored, so none needs to be removed. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** A derivation in progress. */
export interface Run extends RepositoryDerivation {
  readonly reader: RecordReader;
  readonly writer: UnitWriter;
  /** Requests whose commits changed. */
  readonly affected: Set<number>;
}

/** Begins a derivation. */
export function runOf(derivation: RepositoryDerivation): Run {
  const { context, records, store, orgId, isFirst } = derivation;
  return {
    ...derivation,
    reader: new RecordReader(records, context),
    writer: new UnitWriter(store, { orgId, repoId: context.repoId, areNew: isFirst }),
    affected: new Set(),
  };
}

/** The condition that selects the changed rows of a kind. */
export function whereOf(extent: Exclude<Extent, 'none'>): Where {
  return extent === 'all' ? { kind: 'all' } : { kind: 'changed', since: extent.since };
}

/** Whether all requests are derived, so that no affected one needs to be remembered. */
export function derivesAllRequests({ changed, affected }: Run): boolean {
  const extents = [changed.requests, changed.commits, changed.deployments];
  return extents.includes('all') || affected.size > MOST_REMEMBERED;
}

/** If more requests than this changed, all requests are derived. */
const MOST_REMEMBERED = 100_000;

/** Rules of an organization can make a unit slow to classify: the server serves other requests between units. */
export function* derivedSteps<Fact>(
  facts: readonly Fact[],
  derive: (fact: Fact) => WorkUnit,
): Steps<readonly WorkUnit[]> {
  const units: WorkUnit[] = [];
  for (const fact of facts) {
    units.push(derive(fact));
    yield;
  }
  return units;
}

/**
 * Stores the closings of some requests or issues; those that they no longer have are removed.
 *
 * @returns the removed ones
 */
export async function replaceClosings(
  { reader, records, context, isFirst }: Run,
  closings: readonly StoredClosing[],
  of: readonly ['issue' | 'closer', readonly (string | number)[], readonly ClosingKind[]],
): Promise<readonly StoredClosing[]> {
  const { added, removed } = closingDifferences(closings, isFirst ? [] : await reader.closings(...of));
  if (added.length + removed.length > 0) await records.writeClosings(context.repoId, added, removed);
  return removed;
}

/** The repository of the units, and whether it has no stored units. */
type UnitOwner = Pick<WorkUnitChange, 'orgId' | 'repoId' | 'areNew'>;

/** Writes units while the next ones are derived; at most one change is in progress. */
class UnitWriter {
  /** Units written so far. */
  written = 0;
  readonly #store: UnitStore;
  readonly #owner: UnitOwner;
  #pending: Promise<void> = Promise.resolve();

  constructor(store: UnitStore, owner: UnitOwner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Waits for the previous change and starts this one. */
  async write(units: readonly WorkUnit[], removed: readonly string[] = []): Promise<void> {
    await this.#pending;
    // SQLite is synchronous: without this, timers (to renew locks) and signals would wait until the end.
    await new Promise((resolve) => setImmediate(resolve));
    if (units.length + removed.length === 0) return;
    this.written += units.length;
    this.#pending = this.#store.apply({ ...this.#owner, units, removed });
    // The next call awaits it; until then a rejection must not end the process.
    this.#pending.catch(() => {});
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    await this.#pending;
  }
}

/**
 * Keeps work units up to date: after each sync of a repository, when commits are removed, and when teams or rules
 * change. A derivation has four steps: `plan.ts` decides which records are affected, `read.ts` reads them, `derive.ts`
 * makes units of them, and `write.ts` stores the units.
 */
import { storableText } from '../../../database/storable-text.js';
import { readErasures } from '../../erasure/erasures.js';
import { tableNamed } from '../../records.js';
import type { SinkPage, StateKey } from '../../sinks/sink.js';
import type { RenewedLock } from '../../sinks/wait-for-lock.js';
import { WholeCommits } from './commits.js';
import { LINKS } from './database/records.js';
import { noteEpics } from './epics.js';
import { tryDerivationLock, underLock, whileHeld, type DerivationResources } from './resources.js';
import {
  basisOf,
  changedBy,
  EVERYTHING,
  NOTHING,
  repositoryContext,
  splitNote,
  withPlannedWork,
  type Changed,
  type Extent,
} from './plan.js';
import {
  beginNewCommits,
  deriveAfterRemoval,
  deriveRepository,
  type NewCommits,
  type RemovedRecords,
} from './write.js';

/** The derivation that accompanies one sync. */
export interface DerivedSync {
  /**
   * Epoch milliseconds. The write time of rows that this sync writes must not be earlier. It is later than the write
   * time of every row that was derived before, even if a clock was set back or two machines disagree.
   */
  readonly since: number;
  /** Accepts a stored page; derives what it can while the sync reads the next one. */
  stored(page: SinkPage): Promise<void>;
  /**
   * Derives what the sync changed.
   *
   * @param revision the revision of the last stored state
   * @returns the number of units that this sync wrote
   */
  finish(revision: string): Promise<number>;
  /** Releases the lock. Call it last, in every case. */
  close(): Promise<void>;
}

/** The properties of a sync that are known before its first page. */
export interface SyncedSource {
  /** The text of the repository's CODEOWNERS; null: it has none; undefined: unknown. */
  readonly codeowners: string | null | undefined;
  /** The text of its .mailmap, in the same way. */
  readonly mailmap?: string | null | undefined;
  /** See `OpenRepository.isInOrder`. */
  readonly isInOrder: boolean;
  /** Whether stored records get other times. What else they affected before is then not known, and all is derived. */
  readonly movesTimes?: boolean;
}

/** Call it before storing the first page of a sync. */
export async function beginDerivation(
  resources: DerivationResources,
  key: StateKey,
  { codeowners, mailmap, isInOrder, movesTimes = false }: SyncedSource,
): Promise<DerivedSync> {
  const { records, sink, dependencies } = resources;
  const { repoId, target } = key;
  const [state, notes] = await Promise.all([sink.readState(key), records.readProgress(repoId)]);
  const name = `${target}:${key.source}`;
  const [revision, until] = splitNote(notes.get(name));
  const since = Math.max(dependencies.now(), until + 1);
  const extent: Extent = revision === state?.revision && !movesTimes ? { since } : 'all';
  for (const [file, content] of [
    ['codeowners', codeowners],
    ['mailmap', mailmap],
  ] as const) {
    if (content === undefined) continue;
    // The same file, read from a clone and from a host, must not count as a change.
    await records.writeProgress(repoId, new Map([[file, storableText(content ?? '').trimEnd()]]));
  }
  const mayBeFirst = target === 'git' && isInOrder && !notes.has('basis');
  // The sink replaces the names of erased people, so that the units must be derived from what it has stored.
  const isWhole = mayBeFirst && (await readErasures(sink, resources.orgId)) === undefined;
  const first = isWhole ? await beginFirstDerivation(resources, repoId) : undefined;
  const complete = async (held: DerivationResources, reached: string): Promise<number> => {
    const derived = await first?.finish();
    const written = await bringUpToDate(held, repoId, changedBy(target, extent), derived?.basis);
    await records.writeProgress(repoId, new Map([[name, `${Math.max(since, dependencies.now())} ${reached}`]]));
    await resources.store.settle?.();
    return (derived?.written ?? 0) + written;
  };
  return {
    since,
    stored: async (page) => first?.stored(page),
    finish: async (reached) => {
      if (first === undefined) return underLock(resources, repoId, (held) => complete(held, reached));
      const written = await complete(first.resources, reached);
      // Release immediately: two syncs must not wait for each other if each has the other's secondary as its primary.
      await first.release();
      return written;
    },
    close: async () => first?.release(),
  };
}

/**
 * Derives a repository again if the rules, the teams or its name changed since the last derivation.
 *
 * @returns the number of units written
 */
export async function refreshRepository(resources: DerivationResources, repoId: string): Promise<number> {
  return underLock(resources, repoId, (held) => bringUpToDate(held, repoId, NOTHING, undefined));
}

/** @param derived the basis with which this run derived the units of all commits; undefined if it did not */
async function bringUpToDate(
  resources: DerivationResources,
  repoId: string,
  changed: Changed,
  derived: string | undefined,
): Promise<number> {
  const { records, store, orgId, dependencies } = resources;
  const former = await records.readProgress(repoId);
  const notes = await noteEpics(records, repoId, former, changed.issues !== 'none');
  const context = await repositoryContext(resources, repoId, notes);
  if (context === undefined) return 0;
  const stored = notes.get('basis');
  const basis = basisOf(context);
  // If this derivation is killed, the next one finds this note and starts over.
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', 'deriving']]));
  const others = derived === basis ? { ...EVERYTHING, commits: 'none' as const } : EVERYTHING;
  const written = await deriveRepository({
    orgId,
    context,
    records,
    store,
    changed: stored === basis ? withPlannedWork(changed, context) : others,
    // The notes are not sufficient: they may have been removed while the units were not.
    isFirst: stored === undefined && (await isEmpty(store.scan(orgId, repoId))),
    signal: dependencies.signal,
  });
  dependencies.signal.throwIfAborted();
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', basis]]));
  return written;
}

/** The number of derived units, and their basis. */
interface DerivedCommits {
  readonly basis: string;
  readonly written: number;
}

/** Undefined if the repository has stored commits, links or units, or if another derivation of it is running. */
async function beginFirstDerivation(
  resources: DerivationResources,
  repoId: string,
): Promise<FirstDerivation | undefined> {
  const lock = await tryDerivationLock(resources, repoId);
  if (lock === undefined) return undefined;
  try {
    if (await isUnknown(resources, repoId)) return new FirstDerivation(resources, repoId, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
  await lock.release();
  return undefined;
}

/**
 * Derives the units of a history that is stored for the first time, directly from its pages, without reading them back.
 * It covers the commits only. Requests are derived afterwards, and replace the units of their commits.
 *
 * It may be killed at any time: the note on the basis says `deriving` until the end, so that the next sync derives
 * everything again.
 */
class FirstDerivation {
  readonly #resources: DerivationResources;
  readonly #repoId: string;
  readonly #lock: RenewedLock;
  readonly #commits = new WholeCommits();
  #isReleased = false;
  /** Set by the first page, which has the repository's name. */
  #begun: { readonly basis: string; readonly units: NewCommits } | undefined;

  constructor(resources: DerivationResources, repoId: string, lock: RenewedLock) {
    this.#resources = whileHeld(resources, lock);
    this.#repoId = repoId;
    this.#lock = lock;
  }

  /** Accepts a stored page. */
  async stored(page: SinkPage): Promise<void> {
    await this.#lock.assertHeld();
    this.#begun ??= await this.#begin();
    await this.#begun?.units.write(this.#commits.take(page));
  }

  /** Resolves when the units of all commits are stored; undefined if there was no page. */
  async finish(): Promise<DerivedCommits | undefined> {
    if (this.#begun === undefined) return undefined;
    const { basis, units } = this.#begun;
    await this.#lock.assertHeld();
    await units.write(this.#commits.takeLast());
    return { basis, written: await units.finish() };
  }

  /** Derives the rest under the same lock. */
  get resources(): DerivationResources {
    return this.#resources;
  }

  /** Waits for pending writes, then releases the lock. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    // The error of a failed sync has already been reported; the next sync derives everything again.
    await this.#begun?.units.finish().catch(() => {});
    await this.#lock.release();
  }

  async #begin(): Promise<{ readonly basis: string; readonly units: NewCommits } | undefined> {
    const { orgId, records, store, dependencies } = this.#resources;
    const context = await repositoryContext(this.#resources, this.#repoId, await records.readProgress(this.#repoId));
    if (context === undefined) return undefined;
    await records.writeProgress(this.#repoId, new Map([['basis', 'deriving']]));
    return {
      basis: basisOf(context),
      units: beginNewCommits({ orgId, context, records, store, signal: dependencies.signal }),
    };
  }
}

async function isUnknown({ records, store, orgId }: DerivationResources, repoId: string): Promise<boolean> {
  if ((await records.readProgress(repoId)).has('basis')) return false;
  if (!(await isEmpty(store.scan(orgId, repoId)))) return false;
  for (const table of [tableNamed('git_commits'), LINKS]) {
    const columns = table.key.filter((name) => name !== 'repo_id');
    if (!(await isEmpty(records.rows({ table, repoId, columns, where: { kind: 'all' } })))) return false;
  }
  return true;
}

async function isEmpty(batches: AsyncIterable<readonly unknown[]>): Promise<boolean> {
  for await (const batch of batches) if (batch.length > 0) return false;
  return true;
}

/**
 * Removes the units, links and closings of commits and requests whose records are gone, and derives the requests again
 * that contained the commits. Records that are stored, because another source has them, keep their units.
 */
export function deriveRemoved(resources: DerivationResources, repoId: string, removed: RemovedRecords): Promise<void> {
  return underLock(resources, repoId, async (held) => {
    const { orgId, records, store, dependencies } = held;
    const context = await repositoryContext(held, repoId, await records.readProgress(repoId));
    if (context === undefined) return;
    await deriveAfterRemoval({ orgId, context, records, store, signal: dependencies.signal }, removed);
  });
}

/**
 * Keeping work units up to date: after each sync of a repository, and when teams or rules change.
 *
 * Beside the records stand notes on each repository: under `basis`, by which rules, teams and CODEOWNERS its units were
 * derived; under `<target>:<source>`, up to which revision and which time of that sync. Equal revisions mean that nothing but this run's own
 * records is new; others (a run that was killed before it came to derive) mean that all records of the target are
 * looked at again. A change of the basis derives everything again.
 */
import { storableText } from '../../../database/storable-text.js';
import type { SinkPage, StateKey } from '../../sinks/sink.js';
import type { Target } from '../../targets.js';
import { underLock } from '../derivation-lock.js';
import type { Changed, Extent } from './write.js';
import { deriveRepository, EVERYTHING } from './write.js';
import type { WorkUnitDeriver } from '../deriver.js';
import { beginFirstDerivation, isEmpty } from './first-derivation.js';
import { basisOf, repositoryContext } from './plan.js';

/** A sync whose work units are to be derived. */
export interface DerivedSync {
  /**
   * Epoch milliseconds: no row that this sync writes may say that it was written earlier. It is later than all that was
   * derived before, whatever the clocks of two machines or of one that is set back say.
   */
  readonly since: number;
  /** Takes a page that has been stored: what can be derived while others are read is derived. */
  stored(page: SinkPage): Promise<void>;
  /**
   * Derives what the sync changed.
   *
   * @param revision of the state that was stored last
   * @returns how many units were written by this sync
   */
  finish(revision: string): Promise<number>;
  /** To be called in any case, when nothing else will be. */
  close(): Promise<void>;
}

/** What a sync tells of itself before its first page. */
export interface SyncedSource {
  /** The text of the repository's CODEOWNERS; null: it has none; undefined: the source does not tell. */
  readonly codeowners: string | null | undefined;
  /** As `OpenRepository.isInOrder`. */
  readonly isInOrder: boolean;
}

/** To be called before the first page of a sync is stored. */
export async function beginDerivation(
  deriver: WorkUnitDeriver,
  key: StateKey,
  { codeowners, isInOrder }: SyncedSource,
): Promise<DerivedSync> {
  const { records, sink, dependencies } = deriver;
  const { repoId, target } = key;
  const [state, notes] = await Promise.all([sink.readState(key), records.readProgress(repoId)]);
  const name = `${target}:${key.source}`;
  const [revision, until] = splitNote(notes.get(name));
  const since = Math.max(dependencies.now(), until + 1);
  const extent: Extent = revision === state?.revision ? { since } : 'all';
  if (codeowners !== undefined) {
    // The same file read in two ways, from a clone and from a host, must not count as a change.
    const text = storableText(codeowners ?? '').trimEnd();
    await records.writeProgress(repoId, new Map([['codeowners', text]]));
  }
  const mayBeFirst = target === 'git' && isInOrder && !notes.has('basis');
  const first = mayBeFirst ? await beginFirstDerivation(deriver, repoId) : undefined;
  const complete = async (held: WorkUnitDeriver, reached: string): Promise<number> => {
    const derived = await first?.finish();
    const written = await bringUpToDate(held, repoId, changedBy(target, extent), derived?.basis);
    await records.writeProgress(repoId, new Map([[name, `${Math.max(since, dependencies.now())} ${reached}`]]));
    await deriver.store.settle?.();
    return (derived?.written ?? 0) + written;
  };
  return {
    since,
    stored: async (page) => first?.stored(page),
    finish: async (reached) => {
      if (first === undefined) return underLock(deriver, repoId, (held) => complete(held, reached));
      const written = await complete(first.deriver, reached);
      // At once: two syncs, of which each has the other's secondary as its primary, must not wait for each other.
      await first.release();
      return written;
    },
    close: async () => first?.release(),
  };
}

/** The revision of a note, and the time up to which rows were stamped. */
function splitNote(note: string | undefined): readonly [revision: string | undefined, until: number] {
  const match = /^(\d+) (.*)$/s.exec(note ?? '');
  return match === null ? [undefined, 0] : [match[2], Number(match[1])];
}

/**
 * Derives a repository again if the rules, the teams or its name have changed since it was derived last.
 *
 * @returns how many units were written
 */
export async function refreshRepository(deriver: WorkUnitDeriver, repoId: string): Promise<number> {
  return underLock(deriver, repoId, (held) => bringUpToDate(held, repoId, NOTHING, undefined));
}

const NOTHING: Changed = { commits: 'none', requests: 'none', deployments: 'none', incidents: 'none' };

function changedBy(target: Target, extent: Extent): Changed {
  switch (target) {
    case 'git':
      return { ...NOTHING, commits: extent };
    case 'prs':
      return { ...NOTHING, requests: extent };
    case 'deployments':
      return { ...NOTHING, deployments: extent };
    case 'incidents':
      return { ...NOTHING, incidents: extent };
    case 'blame':
    case 'cicd':
      return NOTHING;
  }
}

/** @param derived the basis by which the units of all commits were made just now; undefined where they were not */
async function bringUpToDate(
  deriver: WorkUnitDeriver,
  repoId: string,
  changed: Changed,
  derived: string | undefined,
): Promise<number> {
  const { records, store, orgId, dependencies } = deriver;
  const notes = await records.readProgress(repoId);
  const context = await repositoryContext(deriver, repoId, notes);
  if (context === undefined) return 0;
  const stored = notes.get('basis');
  const basis = basisOf(context);
  // Until it is done, the basis is no one's: a derivation that is killed is begun again from the start.
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', 'deriving']]));
  const others = derived === basis ? { ...EVERYTHING, commits: 'none' as const } : EVERYTHING;
  const written = await deriveRepository({
    orgId,
    context,
    records,
    store,
    changed: stored === basis ? changed : others,
    // The notes alone do not tell it: someone may have removed them, and units beside them.
    isFirst: stored === undefined && (await isEmpty(store.scan(orgId, repoId))),
    signal: dependencies.signal,
  });
  dependencies.signal.throwIfAborted();
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', basis]]));
  return written;
}

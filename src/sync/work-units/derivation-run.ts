/**
 * Keeping work units up to date: after each sync of a repository, and when teams or rules change.
 *
 * Beside the records stand notes on each repository: under `basis`, by which rules, teams and CODEOWNERS its units were
 * derived; under `<target>:<source>`, up to which revision and which time of that sync. Equal revisions mean that nothing but this run's own
 * records is new; others (a run that was killed before it came to derive) mean that all records of the target are
 * looked at again. A change of the basis derives everything again.
 */
import { createHash } from 'node:crypto';
import type { WorkUnitStore } from '../../analytics/work-unit.js';
import type { Derivation } from '../sinks/derivation.js';
import type { Lock, LockKey, Sink, StateKey } from '../sinks/sink.js';
import { waitForLock } from '../sinks/wait-for-lock.js';
import type { Surroundings } from '../surroundings.js';
import type { Target } from '../targets.js';
import type { Classifier } from './classify/classifier.js';
import type { Changed, Extent } from './derive-repository.js';
import { deriveRepository } from './derive-repository.js';
import type { RepositoryContext } from './derive.js';
import { createTeamAssigner } from './teams/assign.js';
import { teamsFromText } from './teams/teams-file.js';

/** Raise it when the same records give other units than before: every repository is then derived again. */
const ALGORITHM = 1;

/** What a derivation works with. */
export interface WorkUnitDeriver {
  readonly orgId: string;
  readonly sink: Sink;
  readonly records: Derivation;
  readonly store: WorkUnitStore;
  readonly classifier: Classifier;
  readonly surroundings: Pick<Surroundings, 'now' | 'sleep' | 'signal'>;
}

/** A sync whose work units are to be derived. */
export interface DerivedSync {
  /**
   * Epoch milliseconds: no row that this sync writes may say that it was written earlier. It is later than all that was
   * derived before, whatever the clocks of two machines or of one that is set back say.
   */
  readonly since: number;
  /**
   * Derives what the sync changed.
   *
   * @param revision of the state that was stored last
   * @param codeowners the text of the repository's CODEOWNERS; null: it has none; undefined: the source does not tell
   * @returns how many units were written
   */
  finish(revision: string, codeowners: string | null | undefined): Promise<number>;
}

/**
 * To be called before the first page of a sync is stored.
 *
 * @param held the lock of the sync; it is renewed while units are derived
 */
export async function beginDerivation(deriver: WorkUnitDeriver, key: StateKey, held?: Lock): Promise<DerivedSync> {
  const { records, sink, surroundings } = deriver;
  const [state, notes] = await Promise.all([sink.readState(key), records.readProgress(key.repoId)]);
  const name = `${key.target}:${key.source}`;
  const [revision, until] = splitNote(notes.get(name));
  const since = Math.max(surroundings.now(), until + 1);
  const extent: Extent = revision === state?.revision ? { since } : 'all';
  return {
    since,
    finish: (reached, codeowners) =>
      underLock(deriver, key, held, async () => {
        if (codeowners !== undefined)
          await records.writeProgress(key.repoId, new Map([['codeowners', codeowners ?? '']]));
        const written = await bringUpToDate(deriver, key.repoId, changedBy(key.target, extent));
        const note = `${Math.max(since, surroundings.now())} ${reached}`;
        await records.writeProgress(key.repoId, new Map([[name, note]]));
        return written;
      }),
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
  return underLock(deriver, { repoId, target: 'work_units', source: 'local' }, undefined, () =>
    bringUpToDate(deriver, repoId, NOTHING),
  );
}

/** How the units of a repository are derived now; undefined for a repository that is not stored. */
export async function repositoryContext(
  deriver: Pick<WorkUnitDeriver, 'records' | 'orgId' | 'classifier'>,
  repoId: string,
  notes: ReadonlyMap<string, string>,
): Promise<RepositoryContext | undefined> {
  const [repo, teams] = await Promise.all([
    deriver.records.repositoryName(repoId),
    deriver.records.readTeams(deriver.orgId),
  ]);
  if (repo === undefined) return undefined;
  const codeowners = notes.get('codeowners') ?? '';
  return {
    repoId,
    repo,
    classifier: deriver.classifier,
    teams: createTeamAssigner(teamsFromText(teams), repo, codeowners === '' ? undefined : codeowners),
  };
}

const NOTHING: Changed = { commits: 'none', requests: 'none', deployments: 'none', incidents: 'none' };
const EVERYTHING: Changed = { commits: 'all', requests: 'all', deployments: 'all', incidents: 'all' };

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

async function bringUpToDate(deriver: WorkUnitDeriver, repoId: string, changed: Changed): Promise<number> {
  const { records, store, orgId, surroundings } = deriver;
  const notes = await records.readProgress(repoId);
  const context = await repositoryContext(deriver, repoId, notes);
  if (context === undefined) return 0;
  const stored = notes.get('basis');
  const basis = createHash('sha256')
    .update(JSON.stringify([ALGORITHM, context.classifier.fingerprint, context.teams.fingerprint]))
    .digest('hex');
  // Until it is done, the basis is no one's: a derivation that is killed is begun again from the start.
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', 'deriving']]));
  const written = await deriveRepository({
    orgId,
    context,
    records,
    store,
    changed: stored === basis ? changed : EVERYTHING,
    isFirst: stored === undefined && (await hasNoUnits(store, orgId, repoId)),
    signal: surroundings.signal,
  });
  if (stored !== basis) await records.writeProgress(repoId, new Map([['basis', basis]]));
  return written;
}

/** The notes alone do not tell it: someone may have removed them, and units beside them. */
async function hasNoUnits(store: WorkUnitStore, orgId: string, repoId: string): Promise<boolean> {
  for await (const units of store.scan(orgId, repoId)) if (units.length > 0) return false;
  return true;
}

/** Derivations of one repository take turns, where the database has a lock for it. */
async function underLock<Result>(
  { sink, surroundings }: WorkUnitDeriver,
  key: LockKey,
  held: Lock | undefined,
  action: () => Promise<Result>,
): Promise<Result> {
  const lock = await waitForLock(sink, { ...key, target: 'work_units', source: 'local' }, surroundings);
  const renewal = setInterval(() => {
    for (const each of [lock, held]) each?.renew().catch(() => {});
  }, RENEW_MILLISECONDS);
  try {
    return await action();
  } finally {
    clearInterval(renewal);
    await lock.release();
  }
}

/** Well below the time that a lease lasts; a renewal that fails is followed by another one. */
const RENEW_MILLISECONDS = 20_000;

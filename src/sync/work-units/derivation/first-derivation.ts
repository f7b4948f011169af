/**
 * The units of a history that is stored for the first time, made while it is read: what each page brings is at hand, and
 * nothing has to be read back. It is for repositories of which the database knows no commit, no link and no unit, and
 * ends with what the commits alone do not tell: the requests, which take the units of their commits.
 *
 * It needs nothing to be killed safely. The note on the basis says `deriving` until all is done, so that the next sync
 * derives everything again.
 */
import { tableNamed } from '../../records.js';
import { LINKS } from './database/records.js';
import type { SinkPage } from '../../sinks/sink.js';
import type { RenewedLock } from '../../sinks/wait-for-lock.js';
import { tryDerivationLock, whileHeld } from '../derivation-lock.js';
import type { NewCommits } from './write.js';
import { beginNewCommits } from './write.js';
import type { WorkUnitDeriver } from '../deriver.js';
import { basisOf, repositoryContext } from './plan.js';
import { WholeCommits } from '../whole-commits.js';

/** What is derived already, and by which basis. */
export interface DerivedCommits {
  readonly basis: string;
  readonly written: number;
}

/**
 * Begins, where that is possible.
 *
 * @returns undefined where something is stored of the repository, or another derivation of it is under way
 */
export async function beginFirstDerivation(
  deriver: WorkUnitDeriver,
  repoId: string,
): Promise<FirstDerivation | undefined> {
  const lock = await tryDerivationLock(deriver, repoId);
  if (lock === undefined) return undefined;
  try {
    if (await isUnknown(deriver, repoId)) return new FirstDerivation(deriver, repoId, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
  await lock.release();
  return undefined;
}

export class FirstDerivation {
  readonly #deriver: WorkUnitDeriver;
  readonly #repoId: string;
  readonly #lock: RenewedLock;
  readonly #commits = new WholeCommits();
  #isReleased = false;
  /** Begun with the first page, which brings the repository's name. */
  #begun: { readonly basis: string; readonly units: NewCommits } | undefined;

  constructor(deriver: WorkUnitDeriver, repoId: string, lock: RenewedLock) {
    this.#deriver = whileHeld(deriver, lock);
    this.#repoId = repoId;
    this.#lock = lock;
  }

  /** Takes a page that has been stored. */
  async stored(page: SinkPage): Promise<void> {
    await this.#lock.assertHeld();
    this.#begun ??= await this.#begin();
    await this.#begun?.units.write(this.#commits.take(page));
  }

  /** Resolves when the units of all commits are stored; undefined where no page came. */
  async finish(): Promise<DerivedCommits | undefined> {
    if (this.#begun === undefined) return undefined;
    const { basis, units } = this.#begun;
    await this.#lock.assertHeld();
    await units.write(this.#commits.takeLast());
    return { basis, written: await units.finish() };
  }

  /** What is left to derive is derived under the same lock. */
  get deriver(): WorkUnitDeriver {
    return this.#deriver;
  }

  /** Lets other derivations of the repository go on, when nothing of this one is on its way any more. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    // A sync that has failed said why; what it began is derived again by the next one.
    await this.#begun?.units.finish().catch(() => {});
    await this.#lock.release();
  }

  async #begin(): Promise<{ readonly basis: string; readonly units: NewCommits } | undefined> {
    const { orgId, records, store, dependencies } = this.#deriver;
    const context = await repositoryContext(this.#deriver, this.#repoId, await records.readProgress(this.#repoId));
    if (context === undefined) return undefined;
    await records.writeProgress(this.#repoId, new Map([['basis', 'deriving']]));
    return {
      basis: basisOf(context),
      units: beginNewCommits({ orgId, context, records, store, signal: dependencies.signal }),
    };
  }
}

async function isUnknown({ records, store, orgId }: WorkUnitDeriver, repoId: string): Promise<boolean> {
  if ((await records.readProgress(repoId)).has('basis')) return false;
  if (!(await isEmpty(store.scan(orgId, repoId)))) return false;
  for (const table of [tableNamed('git_commits'), LINKS]) {
    const columns = table.key.filter((name) => name !== 'repo_id');
    if (!(await isEmpty(records.rows({ table, repoId, columns, where: { kind: 'all' } })))) return false;
  }
  return true;
}

/** Whether batches hold nothing. */
export async function isEmpty(batches: AsyncIterable<readonly unknown[]>): Promise<boolean> {
  for await (const batch of batches) if (batch.length > 0) return false;
  return true;
}

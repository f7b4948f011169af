/**
 * Which deployment brought a change to production first, as src/analytics/README.md defines it: a deployment contains the
 * requests that were merged before its code was committed, and the request whose merge it deploys.
 */
import type { AnyRow } from '../../records.js';
import { numberOrNull, textOf, textOrNull } from '../row-values.js';

/** The columns that this file reads. */
export const PRODUCTION_COLUMNS = [
  'deployment_id', 'environment', 'started_at', 'finished_at', 'deployed_at', 'merged_at', 'commit_hash', 'committed_at',
] as const; // prettier-ignore

/** Environments that users work with, by the words in their names: `production-eu`, `live`, `github-pages`. */
const PRODUCTION = /(?:^|[^a-z])(?:prod|production|live|github-pages)(?:$|[^a-z])/i;

/** Whether an environment is production; one that the host does not name is. */
export function isProduction(environment: string): boolean {
  return environment === '' || PRODUCTION.test(environment);
}

/** What a request was merged as, and when (epoch milliseconds). */
export interface Merged {
  readonly hash: string | null;
  readonly at: number;
}

/** The deployments of one repository that reached production. */
export class ProductionDeployments {
  /** By the time of their code. */
  readonly #ordered: readonly Deployment[];
  /** The earliest moment at which one of the deployments from that place on was deployed. */
  readonly #earliestFrom: readonly number[];
  readonly #byHash = new Map<string, number>();

  /** @param rows with {@link PRODUCTION_COLUMNS} */
  constructor(rows: readonly AnyRow[]) {
    const deployed = rows.flatMap((row) => deploymentOf(row) ?? []);
    this.#ordered = deployed.sort((a, b) => a.codeAt - b.codeAt);
    const earliestFrom: number[] = [];
    for (let at = this.#ordered.length - 1; at >= 0; at -= 1) {
      earliestFrom[at] = Math.min(this.#ordered[at]?.deployedAt ?? Infinity, earliestFrom[at + 1] ?? Infinity);
    }
    this.#earliestFrom = earliestFrom;
    for (const { hash, deployedAt } of deployed)
      if (hash !== null) this.#byHash.set(hash, Math.min(deployedAt, this.#byHash.get(hash) ?? Infinity));
  }

  /** When a change was deployed first; null if it was not. */
  firstWith({ hash, at }: Merged): number | null {
    const later = this.#earliestFrom[this.#placeOf(at)] ?? Infinity;
    const exact = hash === null ? Infinity : (this.#byHash.get(hash) ?? Infinity);
    const first = Math.min(later, exact);
    return first === Infinity ? null : first;
  }

  /**
   * The requests whose first deployment may be another one since a deployment changed, whatever it was before. Nothing
   * deploys before it starts, so that a deployment of older code that ended before then keeps all that it contains.
   *
   * @param row of the changed deployment, with {@link PRODUCTION_COLUMNS}
   */
  affectedBy(row: AnyRow): Affected {
    const { startedAt, codeAt, hash } = momentsOf(row);
    let place = this.#placeOf(codeAt);
    while (place > 0 && (this.#ordered[place - 1]?.deployedAt ?? Infinity) >= startedAt) place -= 1;
    return {
      after: this.#ordered[place - 1]?.codeAt ?? -Infinity,
      until: Math.max(codeAt, startedAt, numberOrNull(row, 'deployed_at') ?? -Infinity),
      hash,
    };
  }

  /** The number of deployments whose code is older. */
  #placeOf(codeAt: number): number {
    let [low, high] = [0, this.#ordered.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ordered[middle]?.codeAt ?? Infinity) < codeAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Requests merged in a stretch of time (the first moment excluded), and those merged as a commit. */
export interface Affected {
  readonly after: number;
  readonly until: number;
  readonly hash: string | null;
}

/** Whether a request is affected by one of the changes. */
export function affectedRequests(changes: readonly Affected[]): (merged: Merged) => boolean {
  const hashes = new Set(changes.flatMap(({ hash }) => hash ?? []));
  const stretches = joined(changes);
  return ({ hash, at }) =>
    (hash !== null && hashes.has(hash)) || stretches.some(({ after, until }) => at > after && at <= until);
}

/** Deployments follow one another, so that their stretches overlap and few are left. */
function joined(changes: readonly Affected[]): readonly Pick<Affected, 'after' | 'until'>[] {
  const stretches: { after: number; until: number }[] = [];
  for (const { after, until } of changes.toSorted((a, b) => a.after - b.after)) {
    const last = stretches.at(-1);
    if (last !== undefined && after <= last.until) last.until = Math.max(last.until, until);
    else stretches.push({ after, until });
  }
  return stretches;
}

interface Deployment {
  readonly hash: string | null;
  /** When its code was committed; else when its request was merged; else when it started. Epoch milliseconds. */
  readonly codeAt: number;
  readonly deployedAt: number;
}

function deploymentOf(row: AnyRow): Deployment | undefined {
  const deployedAt = numberOrNull(row, 'deployed_at');
  if (deployedAt === null || !isProduction(textOf(row, 'environment'))) return undefined;
  const { codeAt, hash } = momentsOf(row);
  return { hash, codeAt, deployedAt };
}

function momentsOf(row: AnyRow): {
  readonly startedAt: number;
  readonly codeAt: number;
  readonly hash: string | null;
} {
  const [started, deployed, merged, committed] = ['started_at', 'deployed_at', 'merged_at', 'committed_at'].map(
    (name) => numberOrNull(row, name),
  );
  const startedAt = started ?? deployed ?? -Infinity;
  return { startedAt, codeAt: committed ?? merged ?? startedAt, hash: textOrNull(row, 'commit_hash') };
}

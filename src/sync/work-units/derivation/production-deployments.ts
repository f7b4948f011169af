/**
 * Finds the deployment that first brought a change to production, as src/analytics/MEASURES.md defines it: a deployment
 * contains the requests that were merged before its code was committed, and the request whose merge it deploys. Which
 * deployment was the first to contain a request is known only if a deployment of older code is known, too: else an
 * unknown one may have contained it.
 */
import type { AnyRow } from '../../records.js';
import { numberOrNull, textOf, textOrNull } from '../row-values.js';
import type { DeployedTo, Production } from '../classify/production.js';

/** The columns that this file reads. */
export const PRODUCTION_COLUMNS = [
  'deployment_id', 'environment', 'tier', 'job', 'release_ref', 'started_at', 'finished_at', 'deployed_at', 'merged_at',
  'commit_hash', 'committed_at',
] as const; // prettier-ignore

/** The commit that a request was merged as, and its time (epoch milliseconds). */
export interface Merged {
  readonly hash: string | null;
  readonly at: number;
}

/** The deployments of one repository that reached production. */
export class ProductionDeployments {
  /** Sorted by the time of their code. */
  readonly #ordered: readonly Deployment[];
  /** By index: the earliest deployment time from that index on. */
  readonly #earliestFrom: readonly number[];
  readonly #byHash = new Map<string, number>();
  /** The earliest code that is known to be deployed, and the earliest of another commit. */
  readonly #oldest: Deployment | undefined;
  readonly #nextOldest: Deployment | undefined;

  /** @param rows with {@link PRODUCTION_COLUMNS} */
  constructor(rows: readonly AnyRow[], production: Production) {
    const deployed = rows.flatMap((row) => deploymentOf(row, production) ?? []);
    this.#ordered = deployed.sort((a, b) => a.codeAt - b.codeAt || ((a.hash ?? '') < (b.hash ?? '') ? -1 : 1));
    const [oldest] = this.#ordered;
    this.#oldest = oldest;
    this.#nextOldest = this.#ordered.find((other) => other !== oldest && !deploys(other, oldest?.hash ?? null));
    const earliestFrom: number[] = [];
    for (let at = this.#ordered.length - 1; at >= 0; at -= 1) {
      earliestFrom[at] = Math.min(this.#ordered[at]?.deployedAt ?? Infinity, earliestFrom[at + 1] ?? Infinity);
    }
    this.#earliestFrom = earliestFrom;
    for (const { hash, deployedAt } of deployed)
      if (hash !== null) this.#byHash.set(hash, Math.min(deployedAt, this.#byHash.get(hash) ?? Infinity));
  }

  /** The time of the first deployment of a change; null if it was not deployed, or an earlier one may be unknown. */
  firstWith({ hash, at }: Merged): number | null {
    const before = this.#oldest !== undefined && deploys(this.#oldest, hash) ? this.#nextOldest : this.#oldest;
    if (before === undefined || before.codeAt >= at) return null;
    const later = this.#earliestFrom[this.#placeOf(at)] ?? Infinity;
    const exact = hash === null ? Infinity : (this.#byHash.get(hash) ?? Infinity);
    const first = Math.min(later, exact);
    return first === Infinity ? null : first;
  }

  /**
   * The requests whose first deployment may differ after a deployment changed. No code is deployed before the
   * deployment starts, so requests in a deployment of older code that ended before then are not affected. If it has the
   * oldest code, it decides for the requests up to the next code whether a deployment before them is known.
   *
   * @param row of the changed deployment, with {@link PRODUCTION_COLUMNS}
   */
  affectedBy(row: AnyRow): Affected {
    const { startedAt, codeAt, hash } = momentsOf(row);
    let place = this.#placeOf(codeAt);
    while (place > 0 && (this.#ordered[place - 1]?.deployedAt ?? Infinity) >= startedAt) place -= 1;
    const next = this.#ordered.find((deployment) => deployment.codeAt > codeAt);
    const isOldest = codeAt <= (this.#oldest?.codeAt ?? Infinity);
    return {
      after: this.#ordered[place - 1]?.codeAt ?? -Infinity,
      until: Math.max(
        codeAt,
        startedAt,
        numberOrNull(row, 'deployed_at') ?? -Infinity,
        isOldest ? (next?.codeAt ?? -Infinity) : -Infinity,
      ),
      hashes: [hash, this.#oldest?.hash, this.#nextOldest?.hash].flatMap((known) => known ?? []),
    };
  }

  /** The number of deployments with older code. */
  #placeOf(codeAt: number): number {
    return countWhile(this.#ordered, (deployment) => deployment.codeAt < codeAt);
  }
}

/**
 * The deployments of older code that `firstWith` needs to tell which deployment was the first with a later merge: the two
 * latest by the time of their code, of different commits.
 */
export class OlderCode {
  readonly #production: Production;
  #latest: (Deployment & { readonly id: string }) | undefined;
  #other: (Deployment & { readonly id: string }) | undefined;

  constructor(production: Production) {
    this.#production = production;
  }

  /** @param row of a deployment, with {@link PRODUCTION_COLUMNS} */
  add(row: AnyRow): void {
    const deployment = deploymentOf(row, this.#production);
    if (deployment === undefined) return;
    const candidate = { ...deployment, id: textOf(row, 'deployment_id') };
    if (this.#latest === undefined || candidate.codeAt > this.#latest.codeAt) {
      if (!deploys(candidate, this.#latest?.hash ?? null)) this.#other = this.#latest;
      this.#latest = candidate;
    } else if (
      !deploys(candidate, this.#latest.hash) &&
      (this.#other === undefined || candidate.codeAt > this.#other.codeAt)
    ) {
      this.#other = candidate;
    }
  }

  get ids(): ReadonlySet<string> {
    return new Set([this.#latest, this.#other].flatMap((deployment) => deployment?.id ?? []));
  }
}

/** Requests merged within a time span (start excluded), and those merged as certain commits. */
export interface Affected {
  readonly after: number;
  readonly until: number;
  readonly hashes: readonly string[];
}

/** Returns a function that checks whether a request is affected by one of the changes. */
export function affectedRequests(changes: readonly Affected[]): (merged: Merged) => boolean {
  const hashes = new Set(changes.flatMap(({ hashes: some }) => some));
  const stretches = joined(changes);
  return ({ hash, at }) =>
    (hash !== null && hashes.has(hash)) || stretches.some(({ after, until }) => at > after && at <= until);
}

/** Merges overlapping time spans; consecutive deployments overlap, so few spans remain. */
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
  /**
   * The commit date of its code; otherwise the time of its request's merge, otherwise its start. Epoch milliseconds.
   */
  readonly codeAt: number;
  readonly deployedAt: number;
}

function deploys(deployment: Deployment, hash: string | null): boolean {
  return hash !== null && deployment.hash === hash;
}

function deploymentOf(row: AnyRow, production: Production): Deployment | undefined {
  const deployedAt = numberOrNull(row, 'deployed_at');
  if (deployedAt === null || !production.includes(deployedTo(row))) return undefined;
  const { codeAt, hash } = momentsOf(row);
  return { hash, codeAt, deployedAt };
}

/** @param row with {@link PRODUCTION_COLUMNS} */
export function deployedTo(row: AnyRow): DeployedTo {
  return {
    environment: textOf(row, 'environment'),
    tier: textOrNull(row, 'tier'),
    branch: textOrNull(row, 'release_ref'),
    job: textOrNull(row, 'job'),
  };
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

/**
 * The number of items before the first one that does not meet the condition, by binary search.
 *
 * @param items in an order in which those that meet it come first
 */
export function countWhile<Item>(items: readonly Item[], meets: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && meets(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

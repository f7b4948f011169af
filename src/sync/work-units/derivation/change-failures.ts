/**
 * Which deployments to production failed, as src/analytics/MEASURES.md defines it: an incident counts against the latest
 * deployment of its repository before it began; so does a request that repairs it, if the organization names such
 * requests, and a rollback, if it names those.
 */
import type { AnyRow } from '../../records.js';
import { numberOrNull, textOf } from '../row-values.js';
import type { DeliveryRules } from '../classify/delivery-rules.js';
import { countWhile, deployedTo } from './production-deployments.js';

export class ChangeFailures {
  readonly #ordered: readonly Deployment[];
  readonly #failedById: ReadonlyMap<string, boolean>;

  /**
   * @param rows deployments with `PRODUCTION_COLUMNS`
   * @param signs the times of what shows that the deployment before failed, in epoch milliseconds: the beginnings of
   * incidents and of repairs
   */
  constructor(rows: readonly AnyRow[], signs: readonly number[], delivery: DeliveryRules) {
    const deployed = rows.flatMap((row) => deploymentOf(row, delivery) ?? []);
    this.#ordered = deployed.sort((a, b) => a.deployedAt - b.deployedAt || (a.id < b.id ? -1 : 1));
    const failed = new Set(signs.map((time) => this.#latestAt(time)?.id));
    if (delivery.repairs.countRollbacks) for (const id of this.#rolledBack()) failed.add(id);
    this.#failedById = new Map(this.#ordered.map(({ id }) => [id, failed.has(id)]));
  }

  /** Whether a deployment failed; null for one that did not reach production. */
  of(id: string): boolean | null {
    return this.#failedById.get(id) ?? null;
  }

  /**
   * The deployments that may have gained or lost such a sign since one changed, whatever it was before: nothing deploys
   * before it starts.
   *
   * @param row of the changed deployment, with `PRODUCTION_COLUMNS`
   */
  affectedByDeployment(row: AnyRow): readonly string[] {
    const startedAt = numberOrNull(row, 'started_at') ?? numberOrNull(row, 'deployed_at') ?? -Infinity;
    const before = countWhile(this.#ordered, ({ deployedAt }) => deployedAt < startedAt);
    return this.#ordered.slice(Math.max(0, before - 1)).map(({ id }) => id);
  }

  /** The deployment that an incident or a repair at this time counts against. */
  affectedBySign(time: number): string | undefined {
    return this.#latestAt(time)?.id;
  }

  /** The deployments after which older code was deployed. */
  #rolledBack(): readonly string[] {
    return this.#ordered.flatMap(({ id, codeAt }, place) => {
      const next = this.#ordered[place + 1]?.codeAt ?? null;
      return codeAt !== null && next !== null && next < codeAt ? [id] : [];
    });
  }

  #latestAt(moment: number): Deployment | undefined {
    return this.#ordered[countWhile(this.#ordered, ({ deployedAt }) => deployedAt <= moment) - 1];
  }
}

interface Deployment {
  readonly id: string;
  readonly deployedAt: number;
  /** The date of the deployed commit, in epoch milliseconds; null if it is unknown. */
  readonly codeAt: number | null;
}

function deploymentOf(row: AnyRow, { production }: DeliveryRules): Deployment | undefined {
  const deployedAt = numberOrNull(row, 'deployed_at');
  if (deployedAt === null || !production.includes(deployedTo(row))) return undefined;
  return { id: textOf(row, 'deployment_id'), deployedAt, codeAt: numberOrNull(row, 'committed_at') };
}

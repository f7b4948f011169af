/**
 * Which deployments to production failed, as src/analytics/MEASURES.md defines it: an incident counts against the latest
 * deployment of its repository before it began.
 */
import type { AnyRow } from '../../records.js';
import { numberOrNull, textOf } from '../row-values.js';
import type { Production } from '../classify/production.js';
import { countWhile } from './production-deployments.js';

export class ChangeFailures {
  readonly #ordered: readonly Deployment[];
  readonly #failedById: ReadonlyMap<string, boolean>;

  /**
   * @param rows deployments with `PRODUCTION_COLUMNS`
   * @param incidents the beginnings of all incidents, in epoch milliseconds
   */
  constructor(rows: readonly AnyRow[], incidents: readonly number[], production: Production) {
    const deployed = rows.flatMap((row) => deploymentOf(row, production) ?? []);
    this.#ordered = deployed.sort((a, b) => a.deployedAt - b.deployedAt || (a.id < b.id ? -1 : 1));
    const failed = new Set(incidents.map((begin) => this.#latestAt(begin)?.id));
    this.#failedById = new Map(this.#ordered.map(({ id }) => [id, failed.has(id)]));
  }

  /** Whether a deployment failed; null for one that did not reach production. */
  of(id: string): boolean | null {
    return this.#failedById.get(id) ?? null;
  }

  /**
   * The deployments that may have gained or lost an incident since one changed, whatever it was before: nothing deploys
   * before it starts.
   *
   * @param row of the changed deployment, with `PRODUCTION_COLUMNS`
   */
  affectedByDeployment(row: AnyRow): readonly string[] {
    const startedAt = numberOrNull(row, 'started_at') ?? -Infinity;
    const before = countWhile(this.#ordered, ({ deployedAt }) => deployedAt < startedAt);
    return this.#ordered.slice(Math.max(0, before - 1)).map(({ id }) => id);
  }

  /** The deployment that an incident counts against. */
  affectedByIncident(begin: number): string | undefined {
    return this.#latestAt(begin)?.id;
  }

  #latestAt(moment: number): Deployment | undefined {
    return this.#ordered[countWhile(this.#ordered, ({ deployedAt }) => deployedAt <= moment) - 1];
  }
}

interface Deployment {
  readonly id: string;
  readonly deployedAt: number;
}

function deploymentOf(row: AnyRow, production: Production): Deployment | undefined {
  const deployedAt = numberOrNull(row, 'deployed_at');
  if (deployedAt === null || !production.includes(textOf(row, 'environment'))) return undefined;
  return { id: textOf(row, 'deployment_id'), deployedAt };
}

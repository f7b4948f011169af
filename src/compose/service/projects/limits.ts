/** Bounds what all callers together can make one server keep and start. The operator sets them when starting it. */
import { OrchestratorError, type OrchestratorFailure } from '../../orchestrator/errors.js';

export interface ProjectLimits {
  /** Projects on the server. */
  readonly projects: number;
  /** Services of one project. */
  readonly services: number;
  /** Containers of one project: its services times their replicas. */
  readonly projectContainers: number;
  /** Containers of all projects. */
  readonly containers: number;
  /** Seconds of work on one file that was sent. */
  readonly loadSeconds: number;
  /** Files that wait for validation: up to a megabyte each. */
  readonly waiting: number;
  /** Builds and pulls at the same time. */
  readonly imageWork: number;
  /** Calls that change one project: one runs, the others wait. */
  readonly projectCalls: number;
  /** The same for all projects together. */
  readonly calls: number;
}

/** Above the needs of a team; 500 services are more than the largest published compose files have. */
export const DEFAULT_LIMITS: ProjectLimits = {
  projects: 100,
  services: 500,
  projectContainers: 1000,
  containers: 2000,
  loadSeconds: 30,
  waiting: 32,
  imageWork: 32,
  projectCalls: 32,
  calls: 256,
};

/**
 * Checks that a project fits. One that asks for no more than before always does, also after the operator has lowered a
 * limit.
 *
 * @param containers those that the project asks for
 * @param before those that it asked for before; null: it is new
 * @param others those that each of the other projects asks for
 * @throws OrchestratorError.limitExceeded
 */
export function requireRoom(
  containers: number,
  before: number | null,
  others: readonly number[],
  limits: ProjectLimits,
): void {
  if (before === null) requireAtMost(others.length + 1, 'projects', limits.projects);
  if (before !== null && containers <= before) return;
  requireAtMost(containers, 'containers per project', limits.projectContainers);
  const all = others.reduce((sum, each) => sum + each, containers);
  requireAtMost(all, 'containers in all projects', limits.containers);
}

type Limit = Extract<OrchestratorFailure, { readonly case: 'limitExceeded' }>['limit'];

function requireAtMost(count: number, limit: Limit, maximum: number): void {
  if (count > maximum) throw new OrchestratorError({ case: 'limitExceeded', limit, maximum });
}

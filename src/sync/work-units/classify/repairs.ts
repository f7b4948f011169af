/** What shows that a deployment failed beside incidents: requests that repair it, and rollbacks. */
import { FactPatterns } from './fact-patterns.js';

/** What decides whether a merged request repairs a failed deployment. */
export interface MergedRequest {
  readonly title: string;
  readonly labels: readonly string[];
  /** The branch with the changes. */
  readonly branch: string | null;
}

/** Decides what shows that a deployment failed. */
export interface Repairs {
  /** Whether a deployment of older code than the one before it shows that that one failed. */
  readonly countRollbacks: boolean;
  /** Whether requests can show it. */
  readonly countRequests: boolean;
  includes(request: MergedRequest): boolean;
  /** Differs if the decision may differ. */
  readonly fingerprint: string;
}

/** Incidents alone show it. */
export const noRepairs: Repairs = {
  countRollbacks: false,
  countRequests: false,
  includes: () => false,
  fingerprint: 'none',
};

const FACTS = ['label', 'title', 'branch', 'deployment'] as const;

/** The only pattern of deployments. */
export const ROLLBACK = 'deployment:rollback';

/**
 * What an organization names.
 *
 * @param patterns of labels, `title:` and `branch:` of requests, and {@link ROLLBACK}. Null: the organization names none
 */
export function repairsBy(patterns: readonly string[] | null): Repairs {
  if (patterns === null) return noRepairs;
  const chosen = new FactPatterns(patterns, FACTS, 'label');
  return {
    countRollbacks: patterns.includes(ROLLBACK),
    countRequests: FACTS.some((fact) => fact !== 'deployment' && chosen.includesBy(fact)),
    includes: ({ title, labels, branch }) =>
      chosen.includes({ label: labels, title: [title], branch: [branch], deployment: [] }),
    fingerprint: chosen.fingerprint,
  };
}

/** Which deployments are to production: those that an organization names, otherwise those to the usual environments. */
import { FactPatterns } from './fact-patterns.js';

/** What decides whether a deployment is to production. */
export interface DeployedTo {
  /** Empty: the host names none. */
  readonly environment: string;
  /** The kind of environment, as GitLab calls it; null: the host has none. */
  readonly tier: string | null;
  /** The branch or tag. */
  readonly branch: string | null;
  /** The job that deployed. */
  readonly job: string | null;
}

/** Decides which deployments are to production. */
export interface Production {
  /** What decides beside the name of the environment. */
  readonly dependsOn: readonly Exclude<keyof DeployedTo, 'environment'>[];
  includes(deployment: DeployedTo): boolean;
  /** Differs if the decision may differ. */
  readonly fingerprint: string;
}

/** Words of the names of environments that users work with. */
const USUAL = new Set(['prod', 'production', 'prd', 'live', 'www']);

/** Words of the names of other environments. They decide where both kinds are: `pre-prod`, `production/review/pr-12`. */
const OTHER = new Set([
  'pre', 'non', 'not', 'no', 'preview', 'previews', 'review', 'reviews', 'stage', 'staging', 'test', 'tests', 'testing',
  'qa', 'uat', 'dev', 'development', 'sandbox', 'demo', 'pr', 'mr',
]); // prettier-ignore

/** What is production if an organization does not name it. */
export const usualProduction: Production = {
  fingerprint: 'usual',
  dependsOn: ['tier'],
  includes: ({ environment, tier }) => {
    // The team has set it, or GitLab has derived it from the name. GitLab's own figures use it, too.
    if (tier !== null) return tier === 'production' || (tier === 'other' && isUsual(environment));
    return environment === '' || isUsual(environment);
  },
};

function isUsual(environment: string): boolean {
  const name = environment.toLowerCase();
  const words = name.split(/[^a-z]+/);
  if (words.some((word) => OTHER.has(word))) return false;
  return words.some((word) => USUAL.has(word)) || /(?:^|[^a-z])github-pages(?:$|[^a-z])/.test(name);
}

/**
 * Production as an organization names it.
 *
 * @param patterns of environments, `tier:`, `branch:` and `job:`. Deployments to an environment without a name are
 * included unless the organization names production by something else. Null: the organization names none
 */
export function productionBy(patterns: readonly string[] | null): Production {
  if (patterns === null) return usualProduction;
  const chosen = new FactPatterns(patterns, ['environment', 'tier', 'branch', 'job'], 'environment');
  const others = ['tier', 'branch', 'job'] as const;
  const includesUnnamed = !others.some((fact) => chosen.includesBy(fact));
  return {
    fingerprint: chosen.fingerprint,
    dependsOn: others.filter((fact) => chosen.dependsOn(fact)),
    includes: ({ environment, tier, branch, job }) => {
      const facts = { environment: [environment], tier: [tier], branch: [branch], job: [job] };
      if (environment === '' && includesUnnamed) return !chosen.excepts(facts);
      return chosen.includes(facts);
    },
  };
}

/** Which environments are production: those that an organization names, otherwise those with the usual words. */
import { createHash } from 'node:crypto';
import { linear } from './patterns.js';

/** Decides which environments are production. */
export interface Production {
  /** @param environment its name; an empty one is that of a host that names none, and is production */
  includes(environment: string): boolean;
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
  includes: (environment) => {
    if (environment === '') return true;
    const name = environment.toLowerCase();
    const words = name.split(/[^a-z]+/);
    if (words.some((word) => OTHER.has(word))) return false;
    return words.some((word) => USUAL.has(word)) || /(?:^|[^a-z])github-pages(?:$|[^a-z])/.test(name);
  },
};

/** The sign before the pattern of environments that are not production. */
export const EXCEPT = '!';

/**
 * Production as an organization names it.
 *
 * @param patterns names of environments in any case, in which `*` stands for any text. One with `!` before it excepts
 * environments that others include. Null: the organization names none
 */
export function productionBy(patterns: readonly string[] | null): Production {
  if (patterns === null) return usualProduction;
  const included = patterns.filter((pattern) => !pattern.startsWith(EXCEPT)).map(linear.label);
  const excepted = patterns
    .filter((pattern) => pattern.startsWith(EXCEPT))
    .map((pattern) => linear.label(pattern.slice(1)));
  return {
    fingerprint: createHash('sha256').update(JSON.stringify(patterns)).digest('hex'),
    includes: (environment) =>
      environment === '' ||
      (included.some((matches) => matches(environment)) && !excepted.some((matches) => matches(environment))),
  };
}

/** The classifier of an organization, from its stored rules. */
import type { Classifier } from './classifier.js';
import { parseOrganizationRules } from './organization-rules.js';

/** A server has the rules of many organizations, and the caches of a classifier grow with what it reads. */
const REMEMBERED = 8;
const remembered = new WeakMap<Classifier, Map<string, Classifier>>();

/**
 * The classifier of an organization.
 *
 * @param base by the rules file
 * @param text the stored text of the organization's rules; undefined or empty: it has none
 */
export function classifierWith(base: Classifier, text: string | undefined): Classifier {
  if (text === undefined || text === '') return base;
  const known = remembered.get(base) ?? new Map<string, Classifier>();
  remembered.set(base, known);
  const found = known.get(text);
  if (found !== undefined) return found;
  const own = parseOrganizationRules(text, 'The stored file');
  const classifier = own.rules.length === 0 ? base : base.precededBy(own);
  if (known.size >= REMEMBERED) known.clear();
  known.set(text, classifier);
  return classifier;
}

/** Applies the stored rules of an organization. */
import { deliveryRulesBy, usualDelivery, type DeliveryRules } from './delivery-rules.js';
import type { Classifier } from './classifier.js';
import { parseOrganizationRules } from './organization-rules.js';

/** What the rules of an organization decide. */
export interface AppliedRules {
  readonly classifier: Classifier;
  readonly delivery: DeliveryRules;
}

/** A server has the rules of many organizations, and the caches of a classifier grow with what it reads. */
const REMEMBERED = 8;
const remembered = new WeakMap<Classifier, Map<string, AppliedRules>>();

/**
 * Applies the rules of an organization.
 *
 * @param base classifies by the rules file
 * @param text the stored text of the organization's rules; undefined or empty: it has none
 */
export function applyRules(base: Classifier, text: string | undefined): AppliedRules {
  if (text === undefined || text === '') return { classifier: base, delivery: usualDelivery };
  const known = remembered.get(base) ?? new Map<string, AppliedRules>();
  remembered.set(base, known);
  const found = known.get(text);
  if (found !== undefined) return found;
  const own = parseOrganizationRules(text, 'The stored file');
  const applied = {
    classifier: own.rules.length === 0 ? base : base.precededBy(own),
    delivery: deliveryRulesBy(own.delivery),
  };
  if (known.size >= REMEMBERED) known.clear();
  known.set(text, applied);
  return applied;
}

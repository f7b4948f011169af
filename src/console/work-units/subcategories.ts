import type { Schemas } from '@plumbline/sdk/platform';
import { wordsOf } from '../charts/words.js';

export type Subcategory = Schemas['Subcategory'];

/** In the order of the themes. */
export const subcategories: Readonly<Record<Subcategory, string>> = {
  'feature_delivery.customer': 'Feature delivery: Customer',
  'feature_delivery.roadmap': 'Feature delivery: Roadmap',
  'feature_delivery.enablement': 'Feature delivery: Enablement',
  'operational.incident_response': 'Operational: Incident response',
  'operational.on_call': 'Operational: On call',
  'operational.support': 'Operational: Support',
  'maintenance.refactor': 'Maintenance: Refactor',
  'maintenance.upgrade': 'Maintenance: Upgrade',
  'maintenance.debt': 'Maintenance: Debt',
  'quality.testing': 'Quality: Testing',
  'quality.bugfix': 'Quality: Bugfix',
  'quality.reliability': 'Quality: Reliability',
  'risk.security': 'Risk: Security',
  'risk.compliance': 'Risk: Compliance',
  'risk.vulnerability': 'Risk: Vulnerability',
  'unclassified.unclassified': 'Unclassified',
};

export function isSubcategory(text: string): text is Subcategory {
  return Object.hasOwn(subcategories, text);
}

/** What a subcategory is called, with its theme. */
export function labelOf(subcategory: string): string {
  return isSubcategory(subcategory) ? subcategories[subcategory] : wordsOf('SUBCATEGORY', subcategory);
}

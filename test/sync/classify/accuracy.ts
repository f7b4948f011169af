/** How often the classifier gives a unit the theme and the subcategory that it was labelled with. */
import { UNCLASSIFIED } from '../../../src/analytics/vocabulary.js';
import type { Classifier } from '../../../src/sync/work-units/classify/classifier.js';
import { themeOf } from '../../../src/sync/work-units/classify/shares.js';
import { evidenceOf, repositoryOf } from './labelled.js';
import type { LabelledUnit } from './labelled.js';

export interface Accuracy {
  readonly units: number;
  /** Parts of the units, 0 to 1. */
  readonly theme: number;
  readonly subcategory: number;
  readonly unclassified: number;
}

/** All units together come last, as `all`. */
export function accuracyByRepository(
  units: readonly LabelledUnit[],
  classifier: Pick<Classifier, 'classify' | 'ruleOfPath'>,
): ReadonlyMap<string, Accuracy> {
  const groups = [...new Set(units.map(repositoryOf))].map(
    (name) => [name, units.filter((unit) => repositoryOf(unit) === name)] as const,
  );
  return new Map([...groups, ['all', units] as const].map(([name, some]) => [name, accuracyOf(some, classifier)]));
}

function accuracyOf(units: readonly LabelledUnit[], classifier: Pick<Classifier, 'classify' | 'ruleOfPath'>): Accuracy {
  const judged = units.map((unit) => ({ unit, found: classifier.classify(evidenceOf(unit, classifier)) }));
  const part = (holds: (each: (typeof judged)[number]) => boolean): number =>
    judged.filter(holds).length / units.length;
  return {
    units: units.length,
    theme: part(({ unit, found }) => found.theme === themeOf(unit.label)),
    subcategory: part(({ unit, found }) => found.subcategory === unit.label),
    unclassified: part(({ found }) => found.theme === UNCLASSIFIED),
  };
}

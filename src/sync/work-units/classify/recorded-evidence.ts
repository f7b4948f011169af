/**
 * Keeps what rules match of a unit, so that one reading of the records serves several classifiers. The numbers of rules in
 * a file tally differ by classifier; the recorded evidence has the paths instead.
 */
import type { Subcategory } from '../../../analytics/vocabulary.js';
import type { WorkUnit } from '../../../analytics/work-unit.js';
import type { Classifier, Contribution, Evidence } from './classifier.js';
import type { Rule } from './rules.js';
import { divide, type Classification } from './shares.js';

/** The evidence of a unit, which any classifier can classify. */
export interface RecordedEvidence extends Omit<Evidence, 'files'> {
  /** How many times each path was changed. */
  readonly paths: ReadonlyMap<string, number>;
}

/** What the units get while their evidence is recorded. Nobody stores it. */
const NOT_CLASSIFIED = divide(new Map([['unclassified.unclassified', 1]]));

export class EvidenceRecorder {
  /** To derive units with. It classifies nothing. */
  readonly classifier: Classifier;
  #paths: string[] = [];
  readonly #numbers = new Map<string, number>();
  #latest: Evidence | undefined;

  /** @param base the classifier in whose place this one records */
  constructor(base: Classifier) {
    this.classifier = {
      fingerprint: base.fingerprint,
      ruleOfPath: (path) => this.#numberOf(path),
      classify: (evidence) => {
        this.#latest = evidence;
        return NOT_CLASSIFIED;
      },
      precededBy: (own) => base.precededBy(own),
    };
  }

  /**
   * The evidence of a unit.
   *
   * @param derive derives the unit by the classifier of the recorder
   * @returns undefined if there is no such unit
   */
  evidenceOf(derive: () => WorkUnit | undefined): RecordedEvidence | undefined {
    if (derive() === undefined) return undefined;
    const { files, ...evidence } = this.#takeLatest();
    const paths = new Map<string, number>();
    for (const [number, count] of files) {
      const path = this.#paths[number];
      if (path !== undefined) paths.set(path, count);
    }
    return { ...evidence, paths };
  }

  /** Drops the paths of units that were read before, so that memory stays flat. Those units cannot be recorded any more. */
  forget(): void {
    this.#paths = [];
    this.#numbers.clear();
  }

  /** What `derive` has called the classifier with. */
  #takeLatest(): Evidence {
    const latest = this.#latest;
    this.#latest = undefined;
    if (latest === undefined) throw new Error('The unit was not derived by the classifier of the recorder');
    return latest;
  }

  #numberOf(path: string): number {
    const known = this.#numbers.get(path);
    if (known !== undefined) return known;
    const number = this.#paths.push(path) - 1;
    this.#numbers.set(path, number);
    return number;
  }
}

/** Classifies recorded evidence. */
export function classifyRecorded(
  classifier: Classifier,
  { paths, ...evidence }: RecordedEvidence,
  explain?: (contribution: Contribution) => void,
): Classification {
  const files = new Map<number, number>();
  for (const [path, count] of paths) {
    const number = classifier.ruleOfPath(path);
    files.set(number, (files.get(number) ?? 0) + count);
  }
  return classifier.classify({ ...evidence, files }, explain);
}

/** The subcategory by a classifier, and whether a rule gave points to it or to another one. */
export function matchOf(
  classifier: Classifier,
  evidence: RecordedEvidence,
  { name }: Pick<Rule, 'name'>,
): { readonly subcategory: Subcategory; readonly isMatched: boolean } {
  const matched = new Set<string>();
  const { subcategory } = classifyRecorded(classifier, evidence, ({ rule }) => {
    matched.add(rule);
  });
  return { subcategory, isMatched: matched.has(name) };
}

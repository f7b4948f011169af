/** The labelled set: units of public histories, each read and labelled by hand. README.md has the rule book. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Subcategory } from '../../../src/analytics/vocabulary.js';
import type { Classifier, Evidence } from '../../../src/sync/work-units/classify/classifier.js';

export interface LabelledUnit {
  /** `owner/name@hash`, the hash shortened. */
  readonly id: string;
  readonly workType: 'commit' | 'pull_request';
  readonly title: string;
  /** At most six of its changed files. */
  readonly paths: readonly string[];
  readonly label: Subcategory;
  /** The rule of README.md by which it was labelled. */
  readonly rule: string;
}

const FILE = new URL('labelled.jsonl', import.meta.url);

export function readLabelled(): readonly LabelledUnit[] {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  // The file is part of the repository; labelled.test.ts checks each line.
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LabelledUnit);
}

/** Rules are improved by looking at the tuning half only; figures are those of the held-out half. */
export function isHeldOut({ id }: Pick<LabelledUnit, 'id'>): boolean {
  return (createHash('sha256').update(`held-out ${id}`).digest()[0] ?? 0) % 2 === 1;
}

export function repositoryOf({ id }: Pick<LabelledUnit, 'id'>): string {
  return id.slice(0, id.indexOf('@'));
}

/** The unit as hosts give it that do not list changed files. */
export function messageAlone(unit: LabelledUnit): LabelledUnit {
  return { ...unit, paths: [] };
}

/** What the classifier sees of a unit: its text and the titles of its commits are not part of the set. */
export function evidenceOf(unit: LabelledUnit, classifier: Pick<Classifier, 'ruleOfPath'>): Evidence {
  const files = new Map<number, number>();
  for (const path of unit.paths) {
    const rule = classifier.ruleOfPath(path);
    files.set(rule, (files.get(rule) ?? 0) + 1);
  }
  return { workType: unit.workType, title: unit.title, text: '', labels: [], commitTitles: [], files };
}

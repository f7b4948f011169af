/** The classifier: computes the shares of a unit over the taxonomy from its texts and files. It is deterministic. */
import { createHash } from 'node:crypto';
import type { Subcategory, WorkType } from '../../../analytics/vocabulary.js';
import { KeywordFinder, wordsOf } from './keywords.js';
import type { Found } from './keywords.js';
import { expressions, linear, type Matchers } from './patterns.js';
import { PathRules } from './path-rules.js';
import type { OrganizationRules, Rule, Rules, Signal } from './rules.js';
import type { Classification, Points } from './shares.js';
import { divide } from './shares.js';
import { readTitle } from './title.js';
import type { ReadTitle } from './title.js';
import { WholeTitles } from './whole-titles.js';

/** The texts and files of a unit that rules match. */
export interface Evidence {
  readonly workType: WorkType;
  readonly title: string;
  /** The text below the title; may be empty. */
  readonly text: string;
  readonly labels: readonly string[];
  /** The titles of a request's commits. */
  readonly commitTitles: readonly string[];
  readonly files: FileTally;
}

/** Changed files, counted by the rule that names them (see {@link Classifier.ruleOfPath}); -1: no rule. */
export type FileTally = ReadonlyMap<number, number>;

/** The points given by one match of a rule. */
export interface Contribution {
  /** The rule's name; `fallback` if nothing matched. */
  readonly rule: string;
  readonly signal: Signal | 'fallback';
  /** The matched text or file, for display. */
  readonly match: string;
  readonly subcategory: Subcategory;
  readonly points: number;
}

export interface Classifier {
  /** Changes whenever the same unit could be classified differently. */
  readonly fingerprint: string;
  /** The number of the first rule whose `paths` match this path, or -1. */
  ruleOfPath(path: string): number;
  /** @param explain receives each contribution in a fixed order */
  classify(evidence: Evidence, explain?: (contribution: Contribution) => void): Classification;
  /** A classifier by the rules of an organization, and by these where they do not decide. */
  precededBy(own: OrganizationRules): Classifier;
}

const NONE: readonly number[] = [];
const NO_FILES: FileTally = new Map();
/** The weight of the text below a title; the title weighs 1. */
const TEXT_STRENGTH = 0.25;
/** Maximum number of cached paths, labels and scopes. */
const REMEMBERED = 50_000;

export function createClassifier(rules: Rules): Classifier {
  const base = createRuleSet(rules.rules, rules.points, expressions);
  return classifierOf(rules, base);
}

/** @param own the organization's rules, whose numbers follow those of the others */
function classifierOf(
  rules: Rules,
  base: RuleSet,
  own?: { readonly rules: OrganizationRules; readonly set: RuleSet },
): Classifier {
  const offset = base.size;
  const ruleOfPath = (path: string): number => {
    const first = own?.set.ruleOfPath(path) ?? -1;
    return first < 0 ? base.ruleOfPath(path) : offset + first;
  };

  // Points repeat (a `fix:` that changes only code), and dividing them costs more than a cache look-up.
  const divided = new Map<string, Classification>();
  const divideOnce = ({ points, named }: Scored): Classification => {
    const key = `${named.length} ${[...points].join()}`;
    const known = divided.get(key);
    if (known !== undefined) return known;
    const fresh = divide(points, named);
    if (divided.size >= REMEMBERED) divided.clear();
    divided.set(key, fresh);
    return fresh;
  };

  const classify: Classifier['classify'] = (evidence, explain) => {
    const title = readTitle(evidence.title);
    const files = total(evidence.files);
    const read = { evidence, own: title, files, named: files === 0 ? namedFiles(title.bare, ruleOfPath) : NO_FILES };
    const first = own?.set.score(read, offset, explain);
    // What an organization says about a unit comes first, if it is enough to classify the unit.
    if (first !== undefined && isEnough(first, rules.least)) return divideOnce(first);
    const scored = merged(first, base.score(read, 0, explain));
    if (isEnough(scored, rules.least)) return divideOnce(scored);
    const match = scored.points.size > 0 ? 'too few points' : 'no rule matched';
    for (const [subcategory, part] of rules.fallback)
      explain?.({ rule: 'fallback', signal: 'fallback', match, subcategory, points: part });
    return divide(rules.fallback);
  };
  const fingerprint =
    own === undefined
      ? rules.fingerprint
      : createHash('sha256').update(`${rules.fingerprint} ${own.rules.fingerprint}`).digest('hex');
  const precededBy: Classifier['precededBy'] = (others) => {
    const set = createRuleSet(others.rules, rules.points, linear);
    return classifierOf(rules, base, { rules: others, set });
  };
  return { fingerprint, ruleOfPath, classify, precededBy };
}

/** What some rules give a unit. */
interface Scored {
  readonly points: Points;
  /** The subcategories that the unit itself names, in order. */
  readonly named: readonly Subcategory[];
}

function isEnough({ points }: Scored, least: number): boolean {
  return points.size > 0 && total(points) >= least;
}

function merged(first: Scored | undefined, second: Scored): Scored {
  if (first === undefined || first.points.size === 0) return second;
  const points = new Map(first.points);
  for (const [subcategory, worth] of second.points) points.set(subcategory, (points.get(subcategory) ?? 0) + worth);
  return { points, named: [...new Set([...first.named, ...second.named])] };
}

/** A unit's evidence, read once for all rules. */
interface ReadEvidence {
  readonly evidence: Evidence;
  readonly own: ReadTitle;
  /** The number of changed files. */
  readonly files: number;
  /** The files that the title names, if the changed files are unknown. */
  readonly named: FileTally;
}

/** Some rules, indexed by what they match. */
interface RuleSet {
  readonly size: number;
  /** The number of the first rule whose `paths` match this path, or -1. */
  ruleOfPath(path: string): number;
  /** @param offset the number of the first rule of this set in a unit's files */
  score(read: ReadEvidence, offset: number, explain?: (contribution: Contribution) => void): Scored;
}

function createRuleSet(rules: readonly Rule[], worths: Rules['points'], matchers: Matchers): RuleSet {
  const keywords = new KeywordFinder();
  const starts = new KeywordFinder();
  const wholeTitles = new WholeTitles();
  rules.forEach((rule, number) => {
    for (const keyword of rule.keywords) keywords.add(keyword, number);
    for (const start of rule.starts) starts.add(start, number);
    for (const title of rule.titles) wholeTitles.add(title, number);
  });
  const types = indexBy(rules, (rule) => rule.types);
  const workTypes = indexBy(rules, (rule) => rule.workTypes);
  const rulesOfLabel = remembering(matchingRules(rules, (rule) => rule.labels, matchers));
  const rulesOfScope = remembering(matchingRules(rules, (rule) => rule.scopes, matchers));
  const pathRules = new PathRules(rules, matchers);
  const ruleOfPath = remembering((path) => pathRules.find(path));

  const findStart = (bare: string, words: readonly string[]): Found => {
    const found = starts.findAtStart(words);
    const colon = bare.indexOf(': ');
    // `tree cache: fix ...`: an area may be more than one word.
    return found.size > 0 || colon < 0 ? found : starts.findAtStart(wordsOf(bare.slice(colon + 1)));
  };

  const score: RuleSet['score'] = ({ evidence, own, files, named: namedInTitle }, offset, explain) => {
    const points = new Map<Subcategory, number>();
    const give = (number: number, signal: Signal, strength: number, match: string): void => {
      const rule = rules[number];
      if (rule === undefined) return;
      const worth = worths[signal] * rule.weight * strength;
      if (worth <= 0) return;
      for (const [subcategory, part] of rule.gives) {
        points.set(subcategory, (points.get(subcategory) ?? 0) + worth * part);
        explain?.({ rule: rule.name, signal, match, subcategory, points: worth * part });
      }
    };
    const giveKinds = ({ types: found, scopes }: ReadTitle, strength: number): void => {
      for (const type of found) for (const number of types.get(type) ?? NONE) give(number, 'type', strength, type);
      for (const scope of scopes) for (const number of rulesOfScope(scope)) give(number, 'scope', strength, scope);
    };
    giveKinds(own, 1);
    // If no rule knows the type of a request's title, the types of its commits count, each in proportion to its
    // frequency.
    const { commitTitles } = evidence;
    if (commitTitles.length > 0 && !own.types.some((type) => types.has(type)))
      for (const title of commitTitles) giveKinds(readTitle(title), 1 / commitTitles.length);
    for (const label of evidence.labels) for (const number of rulesOfLabel(label)) give(number, 'label', 1, label);
    for (const number of wholeTitles.find(own.bare)) give(number, 'title', 1, own.bare);
    const words = wordsOf(own.description);
    const atStart = findStart(own.bare, own.bare === own.description ? words : wordsOf(own.bare));
    for (const [number, word] of atStart) give(number, 'start', 1, word);
    // The `fix` of `fix: ...` already counted as a type, and that of `Fix ...` as a start.
    const inTitle = keywords.find(words);
    for (const [number, word] of inTitle) if (!atStart.has(number)) give(number, 'keyword', 1, word);
    const named = [...points.keys()];
    if (evidence.text !== '') {
      for (const [number, word] of keywords.find(wordsOf(evidence.text)))
        if (!inTitle.has(number) && !atStart.has(number)) give(number, 'keyword', TEXT_STRENGTH, `${word} (text)`);
    }
    const inOrder = evidence.files.size > 1 ? [...evidence.files].sort(([a], [b]) => a - b) : evidence.files;
    for (const [counted, count] of inOrder) {
      const number = counted - offset;
      const match = explain === undefined ? '' : `${count} of ${files} files`;
      give(number, 'path', count / files, match);
      if (count === files) give(number, 'only_path', 1, match);
    }
    for (const [counted, count] of namedInTitle) {
      give(counted - offset, 'named_path', count / total(namedInTitle), `${count} of the title’s files`);
    }
    for (const number of workTypes.get(evidence.workType) ?? NONE) give(number, 'work_type', 1, evidence.workType);
    return { points, named };
  };
  return { size: rules.length, ruleOfPath, score };
}

/** Counts the words of a title that are names of files with an ending, such as `docs/setup.md`, by the rule for them. */
function namedFiles(title: string, ruleOfPath: (path: string) => number): FileTally {
  if (!title.includes('.')) return NO_FILES;
  const names = title
    .split(/[\s"'`(),:;[\]]+/)
    .map((word) => word.replace(/\.+$/, ''))
    .filter((word) => /^[\w./-]{1,100}\.[a-z]{1,8}$/i.test(word));
  const tally = new Map<number, number>();
  for (const name of names) {
    const number = ruleOfPath(name);
    tally.set(number, (tally.get(number) ?? 0) + 1);
  }
  return tally;
}

function indexBy<Key>(rules: readonly Rule[], keys: (rule: Rule) => readonly Key[]): ReadonlyMap<Key, number[]> {
  const index = new Map<Key, number[]>();
  rules.forEach((rule, number) => {
    for (const key of new Set(keys(rule))) index.set(key, [...(index.get(key) ?? []), number]);
  });
  return index;
}

function matchingRules(
  rules: readonly Rule[],
  patterns: (rule: Rule) => readonly string[],
  { label }: Matchers,
): (text: string) => readonly number[] {
  const ofRules = rules.map((rule) => patterns(rule).map(label));
  return (text) => ofRules.flatMap((each, number) => (each.some((matches) => matches(text)) ? [number] : []));
}

/** Caches results by text; clears the cache when it is full, so that memory stays flat. */
function remembering<Result>(find: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.get(text);
    if (result !== undefined) return result;
    const fresh = find(text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, fresh);
    return fresh;
  };
}

function total(counts: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

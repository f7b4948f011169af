/** Suggests rules of an organization that would have classified a unit as it was corrected. */
import { inSlices, type Steps } from '@plumbline/contract/system/slices';
import type { Subcategory } from '../../analytics/vocabulary.js';
import { organizationName, organizationRule } from './classify/organization-rules.js';
import { readTitle } from './classify/title.js';
import { wordsOf } from './classify/keywords.js';
import type { Classifier } from './classify/classifier.js';
import { classifyRecorded, matchOf, type RecordedEvidence } from './classify/recorded-evidence.js';
import type { OrganizationRules } from './classify/rules.js';
import type { WrittenRule } from './classify/append-rule.js';
import { derivableUnits } from './derivation/derivable-units.js';
import { parseUnitId } from './derivation/derive.js';
import type { PreviewResources } from './derivation/resources.js';
import { describeUnits } from './describe-units.js';
import { FileError } from './file-check.js';
import { classifiersOf, recordingOf } from './preview-rule.js';

/** What a suggested rule looks for. */
export type SuggestionKind = 'label' | 'scope' | 'type' | 'path' | 'start' | 'keyword';

/** A rule that would classify the unit as wanted. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  /** The one pattern of the rule. */
  readonly pattern: string;
  readonly rule: WrittenRule;
}

export interface Suggestions {
  readonly title: string;
  /** What the stored rules say about the unit. */
  readonly byRules: Subcategory;
  /** Patterns that say most about the unit come first. */
  readonly items: readonly Suggestion[];
}

/** Titles whose words are counted, to find the words that distinguish a title. */
const MOST_TITLES = 500;

/**
 * Suggests rules for a unit. Each has one pattern, and was tried: with it after the stored rules, the unit is classified
 * as wanted.
 *
 * @param wanted the subcategory that the unit should have
 * @param since the first day of the units whose titles are compared, as YYYY-MM-DD
 * @returns undefined if the organization has no record of the unit
 */
export async function suggestRules(
  resources: PreviewResources,
  unitId: string,
  { own, wanted, since }: { readonly own: OrganizationRules; readonly wanted: Subcategory; readonly since: string },
): Promise<Suggestions | undefined> {
  const parsed = parseUnitId(unitId);
  if (parsed === undefined) return undefined;
  const recording = await recordingOf(resources, parsed.repoId);
  if (recording === undefined) return undefined;
  for await (const unit of derivableUnits(recording.reader, parsed.workType, [parsed.name])) {
    const evidence = recording.recorder.evidenceOf(() => unit.derive());
    if (evidence === undefined) return undefined;
    const titles = await recentTitles(resources, since);
    const { title } = unit;
    return inSlices(suggestionSteps(resources.classifier, { title, evidence, titles, own, wanted }));
  }
  return undefined;
}

async function recentTitles(resources: PreviewResources, since: string): Promise<readonly string[]> {
  const { ids } = await resources.recent.recentUnits(resources.orgId, since, MOST_TITLES);
  const described = await describeUnits(resources, ids);
  return [...described.values()].map(({ title }) => title);
}

/** What suggestions are made of. */
interface SuggestionInput {
  readonly title: string;
  readonly evidence: RecordedEvidence;
  /** Titles of other units. */
  readonly titles: readonly string[];
  readonly own: OrganizationRules;
  readonly wanted: Subcategory;
}

/** Weights that a rule is tried with, if one of less weight is not enough. */
const WEIGHTS = [1, 2, 4, 8, 16];

function* suggestionSteps(base: Classifier, input: SuggestionInput): Steps<Suggestions> {
  const { title, evidence, titles, own, wanted } = input;
  const stored = base.precededBy(own);
  const items: Suggestion[] = [];
  for (const candidate of candidatesFor(evidence, titles)) {
    for (const weight of WEIGHTS) {
      const rule = ruleFor(candidate, { own, wanted, weight });
      yield;
      if (!classifiesAs(wanted, rule, { base, own, evidence })) continue;
      items.push({ ...candidate, rule });
      break;
    }
  }
  return { title, byRules: classifyRecorded(stored, evidence).subcategory, items };
}

type Candidate = Pick<Suggestion, 'kind' | 'pattern'>;

/** The lists of rules by what they look for. */
export const suggestionLists = {
  label: 'labels',
  scope: 'scopes',
  type: 'types',
  path: 'paths',
  start: 'starts',
  keyword: 'keywords',
} as const satisfies Record<SuggestionKind, keyof WrittenRule>;

function ruleFor(
  { kind, pattern }: Candidate,
  { own, wanted, weight }: Pick<SuggestionInput, 'own' | 'wanted'> & { readonly weight: number },
): WrittenRule {
  return {
    name: nameFor(`${kind} ${pattern}`, own),
    [suggestionLists[kind]]: [pattern],
    gives: wanted,
    ...(weight === 1 ? {} : { weight }),
  };
}

/** Names have up to 100 UTF-16 units, and a character up to two: this leaves room for a number. */
const LONGEST_NAME = 45;

/** A name that no stored rule has. */
function nameFor(text: string, own: OrganizationRules): string {
  const short = Array.from(text).slice(0, LONGEST_NAME).join('').trim();
  const taken = new Set(own.rules.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? short : `${short} ${number}`;
    if (!taken.has(organizationName(name))) return name;
  }
}

/** Whether the unit is classified as wanted, because of the rule. */
function classifiesAs(
  wanted: Subcategory,
  written: WrittenRule,
  { base, own, evidence }: { readonly base: Classifier } & Pick<SuggestionInput, 'own' | 'evidence'>,
): boolean {
  try {
    const added = organizationRule(written);
    const { subcategory, isMatched } = matchOf(classifiersOf(base, own, added).after, evidence, added);
    return isMatched && subcategory === wanted;
  } catch (error) {
    if (error instanceof FileError) return false; // such as a label that is too long for a pattern
    throw error;
  }
}

const MOST_OF_A_KIND = 3;

/** The patterns that match a unit, of each kind at most a few. */
function candidatesFor(evidence: RecordedEvidence, titles: readonly string[]): readonly Candidate[] {
  const { types, scopes, bare } = readTitle(evidence.title);
  // The types of the commits count for a request whose title has none.
  const ofCommits = evidence.commitTitles.map(readTitle);
  const patterns: Readonly<Record<SuggestionKind, readonly string[]>> = {
    label: evidence.labels,
    scope: scopes.length > 0 ? scopes : ofCommits.flatMap((commit) => commit.scopes),
    type: types.length > 0 ? types : ofCommits.flatMap((commit) => commit.types),
    path: foldersOf(evidence.paths),
    start: startsOf(bare),
    keyword: distinctiveWords(bare, titles),
  };
  // In the order of the object: what people write on purpose comes before words.
  return (Object.keys(patterns) as SuggestionKind[]).flatMap((kind) =>
    [...new Set(patterns[kind])]
      // A star stands for any text in these patterns, and nothing could quote it.
      .filter((pattern) => pattern !== '' && (kind === 'path' || !pattern.includes('*')))
      .slice(0, MOST_OF_A_KIND)
      .map((pattern) => ({ kind, pattern })),
  );
}

/** A pattern of a path has at most 10 parts, of which the last one is `**`. */
const DEEPEST_FOLDER = 9;

/** The folder that all changed files are in, and the one at the top with the most of them. */
function foldersOf(paths: ReadonlyMap<string, number>): readonly string[] {
  const folders = [...paths].map(([path, count]) => ({ parts: path.split('/').slice(0, -1), count }));
  const [first] = folders;
  if (first === undefined) return [];
  let shared = first.parts.slice(0, DEEPEST_FOLDER);
  const tops = new Map<string, number>();
  for (const { parts, count } of folders) {
    const end = shared.findIndex((part, index) => parts[index] !== part);
    if (end >= 0) shared = shared.slice(0, end);
    const [top] = parts;
    if (top !== undefined) tops.set(top, (tops.get(top) ?? 0) + count);
  }
  const [[most] = []] = [...tops].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  const found = [shared, most === undefined ? [] : [most]].filter((parts) => parts.length > 0);
  return found.map((parts) => `${parts.join('/')}/**`).filter((pattern) => !pattern.slice(0, -2).includes('*'));
}

/** The first two words of a title. One word is seldom enough to tell a kind of work, and is among the keywords. */
function startsOf(bare: string): readonly string[] {
  const [one, two] = wordsOf(bare);
  return one === undefined || two === undefined ? [] : [`${one} ${two}`];
}

/** A word of more titles than this part says little about one of them. */
const MOST_FREQUENT = 0.1;
/** With fewer titles, parts of them say nothing. */
const FEWEST_TITLES = 20;
const SHORTEST_WORD = 4;

/** The words and the phrase of a title that few others have: those that some have first, because a rule is for them. */
function distinctiveWords(bare: string, titles: readonly string[]): readonly string[] {
  const words = wordsOf(bare);
  const phrases = words.slice(1).map((word, index) => `${words[index] ?? ''} ${word}`);
  const counted = new Map<string, number>([...words, ...phrases].map((text) => [text, 0]));
  for (const title of titles) {
    const others = wordsOf(title);
    const found = new Set([...others, ...others.slice(1).map((word, index) => `${others[index] ?? ''} ${word}`)]);
    for (const text of found) if (counted.has(text)) counted.set(text, (counted.get(text) ?? 0) + 1);
  }
  const most = Math.max(titles.length, FEWEST_TITLES) * MOST_FREQUENT;
  const ranked = (texts: readonly string[]): readonly string[] =>
    texts
      .filter((text) => (counted.get(text) ?? 0) <= most)
      .sort((a, b) => (counted.get(b) ?? 0) - (counted.get(a) ?? 0) || b.length - a.length);
  const isWord = (word: string): boolean => word.length >= SHORTEST_WORD && !/^\d+$/.test(word) && !COMMON.has(word);
  const [phrase] = ranked(phrases.filter((text) => text.split(' ').every(isWord)));
  return [...ranked([...new Set(words)].filter(isWord)).slice(0, 2), ...(phrase === undefined ? [] : [phrase])];
}

/** Words of four letters or more that say nothing about the kind of work. */
const COMMON: ReadonlySet<string> = new Set(
  'about after also another before from have into more most only other over same some such than that their them then there these this those under until when where which while will with without your'.split(
    ' ',
  ),
);

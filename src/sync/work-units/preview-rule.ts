/** Tells what one more rule of an organization would change, before it is stored. */
import { inSlices, type Steps } from '@plumbline/contract/system/slices';
import type { Subcategory } from '../../analytics/vocabulary.js';
import type { Classifier } from './classify/classifier.js';
import { classifyRecorded, EvidenceRecorder, matchOf, type RecordedEvidence } from './classify/recorded-evidence.js';
import type { OrganizationRules, Rule } from './classify/rules.js';
import { themeOf } from './classify/shares.js';
import { derivableUnits, type DerivableUnit } from './derivation/derivable-units.js';
import { groupUnitIds } from './derivation/derive.js';
import { repositoryContext } from './derivation/plan.js';
import { RecordReader } from './derivation/read.js';
import type { PreviewResources } from './derivation/resources.js';

/** How much a preview looks at. */
export interface PreviewLimits {
  /** The latest units of the period. */
  readonly units: number;
  /** The latest corrections. */
  readonly corrections: number;
  readonly milliseconds: number;
}

/** The limits of the API. A person waits for the preview, so that it ends after a few seconds in any case. */
export const PREVIEW_LIMITS: PreviewLimits = { units: 5000, corrections: 500, milliseconds: 8000 };

/** Units that the reply names. */
const MOST_EXAMPLES = 20;

/** The main subcategory of a unit by the stored rules, and with the new one. */
export interface Change {
  readonly from: Subcategory;
  readonly to: Subcategory;
}

/** A unit of which the main subcategory would change. */
export interface ChangedUnit extends Change {
  readonly id: string;
  readonly title: string;
}

/** What a rule would change. Units that were not examined are in no other number. */
export interface RulePreview {
  /** The first day of the period, as YYYY-MM-DD. */
  readonly since: string;
  /** The stored units of the period. */
  readonly units: number;
  /** How many of them were looked at: the latest. */
  readonly examined: number;
  /** The units in which the rule finds something. */
  readonly matched: number;
  /** The units whose main subcategory changes. Corrected units stay as they are. */
  readonly changed: number;
  /** The units whose theme changes, too. */
  readonly changedTheme: number;
  /** The most frequent first. */
  readonly changes: readonly (Change & { readonly units: number })[];
  /** Some of the changed units, the latest first. */
  readonly examples: readonly ChangedUnit[];
  readonly corrections: {
    /** All corrections of the organization. */
    readonly total: number;
    /** How many of their units were looked at. The unit of a correction can be gone. */
    readonly examined: number;
    /** The corrections whose unit the rule matches and the rules then classify as corrected. */
    readonly agreeing: number;
    /** The corrections whose unit the rule matches and the rules then classify in another way. */
    readonly disagreeing: number;
  };
}

/**
 * Compares the classification of stored units by the rules of an organization with that by the same rules and one more.
 * Both are computed from the current records, so that what a pending derivation changes is not counted.
 *
 * @param own the stored rules
 * @param added comes after all of them
 * @param since YYYY-MM-DD, the first day of the period
 */
export async function previewRule(
  resources: PreviewResources,
  { own, added, since }: { readonly own: OrganizationRules; readonly added: Rule; readonly since: string },
  limits: PreviewLimits = PREVIEW_LIMITS,
): Promise<RulePreview> {
  const begun = performance.now();
  const { classifier: base, orgId, recent } = resources;
  const { before, after } = classifiersOf(base, own, added);
  const { latest, total, all } = await readCorrections(resources, limits.corrections);
  const found = await recent.recentUnits(orgId, since, limits.units);
  const counts = { examined: 0, matched: 0, changed: 0, changedTheme: 0 };
  const corrections = { total, examined: 0, agreeing: 0, disagreeing: 0 };
  const changes = new Map<string, Change & { units: number }>();
  const examples = new Map<string, ChangedUnit>();

  // Few corrections, but they tell most about a rule: they get a part of the time in any case.
  const aside = Math.min(limits.milliseconds / 4, 2000);
  await examine(resources, [...latest.keys()], begun + aside, ({ id }, evidence) => {
    corrections.examined += 1;
    const { subcategory: to, isMatched } = matchOf(after, evidence, added);
    if (!isMatched) return;
    if (to === latest.get(id)) corrections.agreeing += 1;
    else corrections.disagreeing += 1;
  });
  await examine(resources, found.ids, begun + limits.milliseconds, ({ id, title }, evidence) => {
    counts.examined += 1;
    const { subcategory: to, isMatched } = matchOf(after, evidence, added);
    if (isMatched) counts.matched += 1;
    if (all.has(id)) return;
    const { subcategory: from } = classifyRecorded(before, evidence);
    if (from === to) return;
    counts.changed += 1;
    if (themeOf(from) !== themeOf(to)) counts.changedTheme += 1;
    const change = changes.get(`${from} ${to}`) ?? { from, to, units: 0 };
    change.units += 1;
    changes.set(`${from} ${to}`, change);
    examples.set(id, { id, title, from, to });
  });
  return {
    since,
    units: found.total,
    ...counts,
    changes: [...changes.values()].sort(
      (a, b) => b.units - a.units || (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1),
    ),
    examples: found.ids.flatMap((id) => examples.get(id) ?? []).slice(0, MOST_EXAMPLES),
    corrections,
  };
}

/** Classifiers by the stored rules, and by these and one more. */
export function classifiersOf(
  base: Classifier,
  own: OrganizationRules,
  added: Rule,
): { readonly before: Classifier; readonly after: Classifier } {
  return {
    before: base.precededBy(own),
    after: base.precededBy({ ...own, rules: [...own.rules, added], fingerprint: `${own.fingerprint} and one more` }),
  };
}

/** Corrections are read in pages of this many. */
const PAGE = 1000;

interface StoredCorrections {
  /** The subcategories of the units that were corrected last. */
  readonly latest: ReadonlyMap<string, Subcategory>;
  readonly total: number;
  /** The ids of all corrected units. */
  readonly all: ReadonlySet<string>;
}

async function readCorrections({ orgId, corrections }: PreviewResources, most: number): Promise<StoredCorrections> {
  const read: { readonly id: string; readonly subcategory: Subcategory; readonly at: number }[] = [];
  for (let after = ''; ;) {
    const page = await corrections.listCorrections(orgId, after, PAGE);
    for (const { unitId, subcategory, correctedAt } of page) read.push({ id: unitId, subcategory, at: correctedAt });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.unitId;
  }
  const latest = read.toSorted((a, b) => b.at - a.at).slice(0, most);
  return {
    latest: new Map(latest.map(({ id, subcategory }) => [id, subcategory])),
    total: read.length,
    all: new Set(read.map(({ id }) => id)),
  };
}

/** Units that are read at once: their commits and paths are in memory together. */
const AT_ONCE = 250;

/**
 * Reads units until a moment of `performance.now()`, the first ones first. Units without records are skipped.
 *
 * Each of the batches in which they are read is in their order, but not the units within it.
 */
async function examine(
  resources: PreviewResources,
  ids: readonly string[],
  until: number,
  take: (unit: DerivableUnit, evidence: RecordedEvidence) => void,
): Promise<void> {
  const repositories = new Map<string, Promise<Recording | undefined>>();
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    for (const { repoId, workType, names } of groupUnitIds(ids.slice(start, start + AT_ONCE))) {
      if (performance.now() >= until) return;
      const known = repositories.get(repoId) ?? recordingOf(resources, repoId);
      repositories.set(repoId, known);
      const recording = await known;
      if (recording === undefined) continue;
      const { recorder, reader } = recording;
      const units: DerivableUnit[] = [];
      for await (const unit of derivableUnits(reader, workType, names)) units.push(unit);
      await inSlices(steps(units, recorder, until, take));
      recorder.forget();
    }
  }
}

/** Rules of an organization can make a unit slow to classify: the server serves other requests between units. */
function* steps(
  units: readonly DerivableUnit[],
  recorder: EvidenceRecorder,
  until: number,
  take: (unit: DerivableUnit, evidence: RecordedEvidence) => void,
): Steps<void> {
  for (const unit of units) {
    if (performance.now() >= until) return;
    const evidence = recorder.evidenceOf(() => unit.derive());
    if (evidence !== undefined) take(unit, evidence);
    yield;
  }
}

/** Reads units, and records their evidence. */
export interface Recording {
  readonly recorder: EvidenceRecorder;
  readonly reader: RecordReader;
}

/** Reads the units of a repository so that their evidence is recorded; undefined: the repository is gone. */
export async function recordingOf(
  resources: Pick<PreviewResources, 'records' | 'orgId' | 'classifier'>,
  repoId: string,
): Promise<Recording | undefined> {
  const context = await repositoryContext(resources, repoId, await resources.records.readProgress(repoId));
  if (context === undefined) return undefined;
  const recorder = new EvidenceRecorder(context.classifier);
  return { recorder, reader: new RecordReader(resources.records, { ...context, classifier: recorder.classifier }) };
}

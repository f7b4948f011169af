/** The stored form of work units: integers only, so that sums are equal on every engine. */
import { storableText } from '../../database/storable-text.js';
import type { Openness, Phases, Reviewer, WorkUnit } from '../work-unit.js';
import {
  PHASES,
  TAXONOMY,
  WORK_TYPES,
  type Phase,
  type Subcategory,
  type Theme,
  type WorkType,
} from '../vocabulary.js';
import { partsOf, sharesOf, WHOLE, type Part } from './shares.js';

/** The column of a phase: whole milliseconds; null if unknown. */
export type PhaseColumn = `${Phase}_ms`;

export const PHASE_COLUMNS: readonly PhaseColumn[] = PHASES.map((phase) => `${phase}_ms` as const);

/**
 * The columns of integers that few units have a value in: phases, 1 or 0 for whether the change that a deployment made
 * failed, and when a request was opened and ended, in epoch milliseconds.
 */
export type MeasureColumn = PhaseColumn | 'change_failed' | 'opened_ms' | 'closed_ms';

export const MEASURE_COLUMNS: readonly MeasureColumn[] = [...PHASE_COLUMNS, 'change_failed', 'opened_ms', 'closed_ms'];

/**
 * A column of text that few units have a value in: a JSON list of `[reviewer, team, reviews, first]`; null if unknown.
 * `first` is 1 for the first reviewer of each team and 0 for the others: its sum counts requests by team.
 */
export const REVIEWERS_COLUMN = 'reviewers';

/** A column of text that few units have a value in: a JSON list of names; null if there is nobody. */
export const CO_AUTHORS_COLUMN = 'co_authors';

/** Dimensions that release 0.1.0 did not have: columns of text in both tables; empty: unknown. */
export const ADDED_DIMENSIONS = ['assistant', 'epic', 'initiative'] as const;

/** One row per unit. */
export interface UnitRow extends Readonly<Partial<Record<MeasureColumn, number>>> {
  readonly [REVIEWERS_COLUMN]?: string;
  readonly [CO_AUTHORS_COLUMN]?: string;
  readonly id: string;
  readonly work_type: WorkType;
  readonly repo: string;
  readonly team: string;
  readonly author: string;
  readonly theme: Theme;
  readonly subcategory: Subcategory;
  /** Empty: unknown. */
  readonly assistant: string;
  readonly epic: string;
  readonly initiative: string;
  /** Epoch milliseconds. */
  readonly started_at: number;
  readonly completed_at: number | null;
  readonly day: string;
  /** Lines; null if unknown. */
  readonly churn: number | null;
  /** From start to completion; null if it is not complete. */
  readonly cycle_ms: number | null;
}

/** One row per unit and subcategory, with the dimensions of the unit, so that weighted queries need no join. */
export interface ShareRow {
  readonly id: string;
  readonly work_type: WorkType;
  readonly repo: string;
  readonly team: string;
  readonly author: string;
  readonly theme: string;
  readonly subcategory: Subcategory;
  readonly day: string;
  /** The share in millionths. */
  readonly weight: number;
  /** Millionths of a line: the unit's lines times the weight. */
  readonly churn: number | null;
  /** The share of the unit's time, in whole milliseconds. */
  readonly cycle_ms: number | null;
}

/** Bytes of a dimension value. Three of them must fit into a PostgreSQL index entry of 2,704 bytes. */
const MAX_BYTES = 512;
/** Bytes of an epic and of an initiative, which are in the same index entry. */
const MAX_EPIC_BYTES = 128;
/** Bytes of the co-authors of a unit, which are in it, too: some 25 addresses. */
const MAX_CO_AUTHOR_BYTES = 600;
/** Lines of a unit: beyond this, the product with a weight would not be exact. */
const MAX_CHURN = 1_000_000_000;
/** What every engine can hold (https://clickhouse.com/docs/sql-reference/data-types/date32); histories with broken clocks exceed it. */
export const FIRST_DAY = '1900-01-01';
export const LAST_DAY = '2299-12-31';

export function unitRow(unit: WorkUnit): UnitRow {
  return {
    id: storableText(unit.id),
    work_type: unit.workType,
    repo: dimensionText(unit.repo),
    team: dimensionText(unit.team),
    author: dimensionText(unit.author),
    theme: unit.theme,
    subcategory: unit.subcategory,
    assistant: dimensionText(unit.assistant ?? ''),
    epic: dimensionText(unit.epic ?? '', MAX_EPIC_BYTES),
    initiative: dimensionText(unit.initiative ?? '', MAX_EPIC_BYTES),
    started_at: storedMoment(unit.startedAt),
    completed_at: unit.completedAt === null ? null : storedMoment(unit.completedAt),
    day: storedDay(unit.day),
    churn: unit.churnLoc === null ? null : Math.min(Math.max(0, Math.round(unit.churnLoc)), MAX_CHURN),
    // Clocks differ: a unit that ended before it began has duration 0.
    cycle_ms: unit.completedAt === null ? null : Math.max(0, Math.trunc(unit.completedAt) - Math.trunc(unit.startedAt)),
    ...phaseColumns(unit.phases ?? {}),
    ...(unit.changeFailed === undefined ? {} : { change_failed: Number(unit.changeFailed) }),
    ...(unit.openness === undefined ? {} : openColumns(unit.openness)),
    ...(unit.reviewers === undefined ? {} : { [REVIEWERS_COLUMN]: reviewersText(unit.reviewers) }),
    ...coAuthorsColumn(unit.coAuthors ?? []),
  };
}

function openColumns({ openedAt, closedAt }: Openness): Partial<Record<MeasureColumn, number>> {
  const opened = { opened_ms: storedMoment(openedAt) };
  return closedAt === null ? opened : { ...opened, closed_ms: storedMoment(closedAt) };
}

function reviewersText(reviewers: readonly Reviewer[]): string {
  const seen = new Set<string>();
  const entries = reviewers.map(({ reviewer, team, reviews }) => {
    const stored = dimensionText(team);
    const first = seen.has(stored) ? 0 : 1;
    seen.add(stored);
    return [dimensionText(reviewer), stored, reviews, first];
  });
  return JSON.stringify(entries);
}

function reviewersOf(text: unknown): readonly Reviewer[] {
  // `reviewersText` has written it.
  const stored = JSON.parse(String(text)) as readonly (readonly [string, string, number])[];
  return stored.map(([reviewer, team, reviews]) => ({ reviewer, team, reviews }));
}

/** The first people of a list, as many as fit into the column. */
function coAuthorsColumn(coAuthors: readonly string[]): Pick<UnitRow, typeof CO_AUTHORS_COLUMN> {
  let text: string | undefined;
  const kept: string[] = [];
  for (const person of coAuthors) {
    kept.push(dimensionText(person));
    const longer = JSON.stringify(kept);
    if (Buffer.byteLength(longer) > MAX_CO_AUTHOR_BYTES) break;
    text = longer;
  }
  return text === undefined ? {} : { [CO_AUTHORS_COLUMN]: text };
}

/** The co-authors of a stored text; null: nobody. */
function coAuthorsOf(text: unknown): Pick<WorkUnit, 'coAuthors'> {
  // `coAuthorsColumn` has written it.
  return typeof text === 'string' ? { coAuthors: JSON.parse(text) as readonly string[] } : {};
}

function phaseColumns(phases: Phases): Partial<Record<PhaseColumn, number>> {
  const columns: Partial<Record<PhaseColumn, number>> = {};
  for (const phase of PHASES) {
    const duration = phases[phase];
    if (duration !== undefined) columns[`${phase}_ms`] = Math.trunc(duration);
  }
  return columns;
}

/** Whether a row has one of these values: most do not, and are written without these columns. */
export function hasMeasures(row: UnitRow): boolean {
  if (row[REVIEWERS_COLUMN] !== undefined || row[CO_AUTHORS_COLUMN] !== undefined) return true;
  return MEASURE_COLUMNS.some((column) => row[column] !== undefined);
}

const FIRST_MOMENT = Date.parse(FIRST_DAY);
const LAST_MOMENT = Date.parse(LAST_DAY);

/** A stored timestamp: whole milliseconds, clamped to the days that engines can store. */
export function storedMoment(epochMilliseconds: number): number {
  return Math.trunc(Math.min(Math.max(epochMilliseconds, FIRST_MOMENT), LAST_MOMENT));
}

/** Years with more than four digits have a sign, so they sort first. */
function storedDay(day: string): string {
  return day.startsWith('+') || day > LAST_DAY ? LAST_DAY : day < FIRST_DAY ? FIRST_DAY : day;
}

/** The bounds, in byte order, of the ids of a repository's units: they begin with its id and a colon. */
export function idsOf(repoId: string): [before: string, end: string] {
  return [`${repoId}:`, `${repoId};`];
}

/** The share rows of a unit, derived from its stored row, so that their sums equal the row's values. */
export function shareRows(row: UnitRow, shares: WorkUnit['shares']): readonly ShareRow[] {
  return partsOf(shares, row.subcategory).map(({ subcategory, weight }) => ({
    id: row.id,
    work_type: row.work_type,
    repo: row.repo,
    team: row.team,
    author: row.author,
    theme: subcategory.slice(0, subcategory.indexOf('.')),
    subcategory,
    day: row.day,
    weight,
    churn: row.churn === null ? null : row.churn * weight,
    cycle_ms: row.cycle_ms === null ? null : partOf(row.cycle_ms, weight),
  }));
}

/** Restores a unit from its stored row and shares; times and shares have the stored precision. */
export function unitOf(row: Readonly<Record<string, unknown>>, parts: readonly Part[]): WorkUnit {
  const completed = row['completed_at'];
  const phases = phasesOf(row);
  const changeFailed = row['change_failed'] ?? null;
  const opened = row['opened_ms'] ?? null;
  const closed = row['closed_ms'] ?? null;
  const reviewers = row[REVIEWERS_COLUMN] ?? null;
  const { assistant, epic, initiative } = row;
  return {
    id: String(row['id']),
    workType: checked(isWorkType, row['work_type']),
    repo: String(row['repo']),
    team: String(row['team']),
    author: String(row['author']),
    theme: checked(isTheme, row['theme']),
    subcategory: checkedSubcategory(row['subcategory']),
    startedAt: Date.parse(String(row['started_at'])),
    completedAt: typeof completed === 'string' ? Date.parse(completed) : null,
    day: String(row['day']),
    churnLoc: row['churn'] === null ? null : Number(row['churn']),
    shares: sharesOf(parts),
    ...(Object.keys(phases).length === 0 ? {} : { phases }),
    ...(changeFailed === null ? {} : { changeFailed: Number(changeFailed) === 1 }),
    ...(opened === null
      ? {}
      : { openness: { openedAt: Number(opened), closedAt: closed === null ? null : Number(closed) } }),
    ...(reviewers === null ? {} : { reviewers: reviewersOf(reviewers) }),
    ...(typeof assistant === 'string' && assistant !== '' ? { assistant } : {}),
    ...(typeof epic === 'string' && epic !== '' ? { epic } : {}),
    ...(typeof initiative === 'string' && initiative !== '' ? { initiative } : {}),
    ...coAuthorsOf(row[CO_AUTHORS_COLUMN]),
  };
}

function phasesOf(row: Readonly<Record<string, unknown>>): Phases {
  const phases: Partial<Record<Phase, number>> = {};
  for (const phase of PHASES) {
    const duration = row[`${phase}_ms`] ?? null;
    if (duration !== null) phases[phase] = Number(duration);
  }
  return phases;
}

/** A stored share. */
export function partRow(subcategory: unknown, weight: unknown): Part {
  return { subcategory: checkedSubcategory(subcategory), weight: Number(weight) };
}

/** @throws Error if a stored value is not a subcategory */
export function checkedSubcategory(stored: unknown): Subcategory {
  return checked(isSubcategory, stored);
}

/** Makes a value storable by all engines: no U+0000, no lone surrogate, at most `most` bytes. */
function dimensionText(text: string, most = MAX_BYTES): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= most) return storableText(text);
  const bytes = Buffer.from(storableText(text));
  if (bytes.length <= most) return bytes.toString();
  let end = most;
  // Do not cut inside a character: its continuation bytes begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Rounds half up; beyond 2^53 the product needs BigInt. */
function partOf(milliseconds: number, weight: number): number {
  const product = milliseconds * weight + WHOLE / 2;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / WHOLE);
  const whole = BigInt(WHOLE);
  return Number((BigInt(milliseconds) * BigInt(weight) * 2n + whole) / (whole * 2n));
}

const subcategories = new Set<unknown>(
  Object.entries(TAXONOMY).flatMap(([theme, names]) => names.map((name) => `${theme}.${name}`)),
);

function isWorkType(value: unknown): value is WorkType {
  return WORK_TYPES.some((type) => type === value);
}

function isTheme(value: unknown): value is Theme {
  return typeof value === 'string' && Object.hasOwn(TAXONOMY, value);
}

function isSubcategory(value: unknown): value is Subcategory {
  return subcategories.has(value);
}

function checked<Value>(is: (value: unknown) => value is Value, stored: unknown): Value {
  if (is(stored)) return stored;
  throw new Error(`A stored work unit has ${JSON.stringify(stored)}, which is not in the vocabulary of the analytics.`);
}

/**
 * The epic and the initiative of a unit: those of the issue that it is, of the issues that it closes, or else of the
 * issues that it refers to. Work on issues without an epic, and work without an issue, is unplanned; but only in a
 * repository whose issues name epics. In all others, nobody can say what is planned.
 */
import { UNPLANNED } from '../../../analytics/vocabulary.js';
import type { WorkUnit } from '../../../analytics/work-unit.js';
import type { AnyRow } from '../../records.js';
import { tableNamed } from '../../records.js';
import { numberOf, textOrNull } from '../row-values.js';
import type { DerivationRecords, Where } from './database/records.js';
import { mostNamed } from './most-named.js';

/** What an issue says of its plan. */
export interface IssuePlan {
  readonly number: number;
  /** Empty: none. Null: its source does not say so, or the issue is not stored. */
  readonly epic: string | null;
  /** Empty: none, or unknown. */
  readonly initiative: string;
}

export const PLAN_COLUMNS = ['epic_key', 'epic', 'initiative_key', 'initiative'] as const;

/** The plan in the row of an issue. An initiative without an epic takes its place. @param row with number and {@link PLAN_COLUMNS} */
export function issuePlanOf(row: AnyRow): IssuePlan {
  const [epic, initiative] = [nameIn(row, 'epic'), nameIn(row, 'initiative')];
  return { number: numberOf(row, 'number'), epic: epic || initiative || epic, initiative: initiative ?? '' };
}

/** The title, or else the key. */
function nameIn(row: AnyRow, column: 'epic' | 'initiative'): string | null {
  const [title, key] = [textOrNull(row, column), textOrNull(row, `${column}_key`)];
  return title?.trim() || key?.trim() || (title ?? key);
}

/**
 * The epic and the initiative of a unit: of several issues, the epic that most of them name, then the first by name.
 *
 * @param issues those of the unit; one may be named several times
 */
export function plannedBy(
  issues: readonly IssuePlan[],
  { hasEpics }: { readonly hasEpics: boolean },
): Pick<WorkUnit, 'epic' | 'initiative'> {
  if (!hasEpics) return {};
  const plans = [...new Map(issues.map((issue) => [issue.number, issue])).values()];
  const epic = mostNamed(plans.map((plan) => plan.epic ?? ''));
  if (epic === undefined)
    return plans.some((plan) => plan.epic === null) ? {} : { epic: UNPLANNED, initiative: UNPLANNED };
  const initiative = mostNamed(plans.filter((plan) => plan.epic === epic).map((plan) => plan.initiative));
  return initiative === undefined ? { epic } : { epic, initiative };
}

/** The note on a repository that says whether its issues name epics. */
const NOTE = 'epics';

/** Whether the issues of a repository named epics when its units were derived last. */
export function notedEpics(notes: ReadonlyMap<string, string>): boolean {
  return notes.get(NOTE) === 'named';
}

/** Brings the note up to date with the stored issues. @returns the notes with it */
export async function noteEpics(
  records: DerivationRecords,
  repoId: string,
  notes: ReadonlyMap<string, string>,
  haveIssuesChanged: boolean,
): Promise<ReadonlyMap<string, string>> {
  if (!haveIssuesChanged && notes.has(NOTE)) return notes;
  const note = new Map([[NOTE, (await hasNamedEpics(records, repoId)) ? 'named' : 'none']]);
  if (notes.get(NOTE) !== note.get(NOTE)) await records.writeProgress(repoId, note);
  return new Map([...notes, ...note]);
}

async function hasNamedEpics(records: DerivationRecords, repoId: string): Promise<boolean> {
  const where: Where = { kind: 'named', columns: PLAN_COLUMNS };
  for await (const rows of records.rows({ table: tableNamed('issues'), repoId, columns: ['number'], where }))
    if (rows.length > 0) return true;
  return false;
}

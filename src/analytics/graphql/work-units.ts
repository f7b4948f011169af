import type {
  WorkUnitExplanation,
  WorkUnitPage,
  WorkUnitPhases,
  WorkUnitsInput,
} from '../../../generated/graphql/resolvers.js';
import type { UnitPosition, UnitsRequest } from '../analytics.js';
import type { Phase } from '../vocabulary.js';
import type { Phases } from '../work-unit.js';
import { isCalendarDate } from './calendar.js';
import { checkDates, checkFilters, countSubRequests, type RangeRules } from './check-batch.js';
import type { GraphqlContext } from './context.js';
import { invalid } from './refusal.js';

const mostUnits = 1000;
const millisecondsPerHour = 3_600_000;

/** Resolves `workUnits`: a page of units, with their descriptions from the records. */
export async function listWorkUnits(input: WorkUnitsInput, context: GraphqlContext): Promise<WorkUnitPage> {
  const request = checkWorkUnits(input, context);
  countSubRequests(context.asked, 1);
  // Opening the records gives tables of an earlier release the columns that a list reads.
  await context.calendar();
  const page = await context.analytics.units(context.orgId, request, context.signal);
  const ids = page.units.map(({ id }) => id);
  const described = await context.unitRecords.describe(context.orgId, ids);
  return {
    items: page.units.map(({ cycleMs, startedAt, completedAt, shares, assistant, coAuthors, ...unit }) => ({
      ...unit,
      assistant: assistant ?? '',
      coAuthors: [...(coAuthors ?? [])],
      epic: unit.epic ?? '',
      initiative: unit.initiative ?? '',
      title: described.get(unit.id)?.title ?? null,
      url: described.get(unit.id)?.url ?? null,
      closedBy: [...(described.get(unit.id)?.closedBy ?? [])],
      namedBy: [...(described.get(unit.id)?.namedBy ?? [])],
      shares: [...shares],
      startedAt: new Date(startedAt).toISOString(),
      completedAt: completedAt === null ? null : new Date(completedAt).toISOString(),
      // The beginning of work that took no time is unknown.
      cycleTimeHours: cycleMs === null || cycleMs === 0 ? null : cycleMs / millisecondsPerHour,
    })),
    nextCursor: page.next === null ? null : cursorOf(request, page.next),
    totalCount: page.total,
  };
}

/** Resolves `workUnit`. */
export async function explainWorkUnit(id: string, context: GraphqlContext): Promise<WorkUnitExplanation | null> {
  const found = await context.unitRecords.explain(context.orgId, id);
  if (found === null) return null;
  const { shares, contributions, correction, phases } = found;
  return {
    ...found,
    shares: [...shares],
    contributions: [...contributions],
    correction:
      correction === null ? null : { ...correction, correctedAt: new Date(correction.correctedAt).toISOString() },
    phases: phases === null ? null : phaseHours(phases),
  };
}

function phaseHours(phases: Phases): WorkUnitPhases {
  const hours = (phase: Phase): number | null => {
    const milliseconds = phases[phase];
    return milliseconds === undefined ? null : milliseconds / millisecondsPerHour;
  };
  return {
    codingHours: hours('coding'),
    pickupHours: hours('pickup'),
    reviewHours: hours('review'),
    mergeHours: hours('merge'),
    deployHours: hours('deploy'),
    leadTimeHours: hours('lead'),
  };
}

function checkWorkUnits(input: WorkUnitsInput, rules: RangeRules): UnitsRequest {
  const { order = 'DAY', direction = 'DESC', first = 50, useInvestment = false, completedOnly = false } = input;
  const dateRange = checkDates(input.dateRange, 'input', rules);
  const { scope, filters } = checkFilters(input.filters ?? {}, 'input.filters');
  if (first < 1 || first > mostUnits) throw invalid('input.first', `It must be from 1 to ${mostUnits}.`);
  const sorted = { order, descending: direction === 'DESC' };
  const after = input.after == null ? null : positionOf(input.after, sorted);
  return { dateRange, scope, filters, useInvestment, completedOnly, ...sorted, first, after };
}

type Sorted = Pick<UnitsRequest, 'order' | 'descending'>;

/** A cursor names the last unit of a page, so that concurrent changes do not repeat other units. */
function cursorOf({ order, descending }: Sorted, { key, id }: UnitPosition): string {
  return Buffer.from(JSON.stringify([order, descending, key, id])).toString('base64url');
}

function positionOf(cursor: string, { order, descending }: Sorted): UnitPosition {
  const refusal = invalid('input.after', 'It must be the unchanged nextCursor of a page in the same order.');
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refusal;
  }
  if (!Array.isArray(read) || read.length !== 4) throw refusal;
  const [itsOrder, itsDirection, key, id] = read as unknown[];
  const isKey = order === 'DAY' ? isDay(key) : Number.isSafeInteger(key);
  if (itsOrder !== order || itsDirection !== descending || !isKey) throw refusal;
  if (typeof id !== 'string' || id.includes('\0')) throw refusal;
  return { key: key as string | number, id }; // as `isKey` says
}

function isDay(key: unknown): boolean {
  return typeof key === 'string' && isCalendarDate(key);
}

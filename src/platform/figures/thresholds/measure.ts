import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Analytics, AnalyticsBatch, DateRange } from '../../../analytics/analytics.js';
import { dayNumber, dayText } from '../../../analytics/planner/buckets.js';

type Definition = Schemas['ThresholdDefinition'];

/** There are fewer types of work. */
const allTypes = 50;

/** The days of a window that ends today. */
export function windowOf({ window_days: days }: Definition, today: string): DateRange {
  return { startDate: dayText(dayNumber(today) - days + 1), endDate: today };
}

/**
 * The figure of a whole organization. It is read by type of work, since each unit has one type and there are few, and
 * put together here.
 *
 * @returns null when there is nothing to measure
 */
export async function measure(
  analytics: Pick<Analytics, 'run'>,
  orgId: string,
  definition: Definition,
  dateRange: DateRange,
  signal: AbortSignal,
): Promise<number | null> {
  const { filters } = definition;
  const batch: AnalyticsBatch = {
    timeseries: [],
    breakdowns: [],
    sankey: null,
    useInvestment: false,
    scope: { level: 'ORG', ids: [] },
    filters: {
      TEAM: filters.teams,
      REPO: filters.repos,
      AUTHOR: filters.authors,
      WORK_TYPE: filters.work_types,
      THEME: filters.themes,
      SUBCATEGORY: filters.subcategories,
      ASSISTANT: filters.assistants,
      EPIC: filters.epics,
      INITIATIVE: filters.initiatives,
      PLAN: filters.plans,
    },
  };
  const common = { dimension: 'WORK_TYPE', dateRange, topN: allTypes, compareWith: null } as const;
  if (definition.measure === 'cycle_time_hours') {
    const distributions = [{ ...common, measure: 'CYCLE_TIME_HOURS', interval: null }] as const;
    const {
      distributions: [found],
    } = await analytics.run(orgId, { ...batch, distributions }, signal);
    const parts = (found?.items ?? []).map(({ statistics }) => statistics);
    const count = parts.reduce((sum, each) => sum + each.count, 0);
    return count === 0 ? null : parts.reduce((sum, each) => sum + each.mean * each.count, 0) / count;
  }
  const breakdowns = [{ ...common, measure: sums[definition.measure] }];
  const {
    breakdowns: [found],
  } = await analytics.run(orgId, { ...batch, breakdowns }, signal);
  return (found?.items ?? []).reduce((sum, { value }) => sum + value, 0);
}

const sums = { count: 'COUNT', churn_loc: 'CHURN_LOC', throughput: 'THROUGHPUT' } as const;

import type { AnalyticsSchema, WorkUnitQuery, WorkUnitsQuery, WorkUnitsQueryVariables } from '@plumbline/sdk/analytics';
import {
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/preact-query';
import { ask } from '../analytics/client.js';

/** A unit as the list shows it. */
export type Unit = WorkUnitsQuery['workUnits']['items'][number];
export type UnitPage = WorkUnitsQuery['workUnits'];
/** Why a unit is classified as it is; null: there is no such unit. */
export type Explanation = WorkUnitQuery['workUnit'];

/** What the list is sorted by, as the query string holds it. */
export const orders = {
  day: 'DAY',
  lines: 'CHURN_LOC',
  'cycle-time': 'CYCLE_TIME_HOURS',
} as const satisfies Record<string, AnalyticsSchema.WorkUnitOrder>;

export type Order = keyof typeof orders;

/** How the list is sorted. */
export interface Sorting {
  readonly order: Order;
  readonly isAscending: boolean;
}

/** Reads the order out of the query string. */
export function sortingOf(search: URLSearchParams): Sorting {
  const order = search.get('order') ?? 'day';
  return { order: isOrder(order) ? order : 'day', isAscending: search.get('direction') === 'ascending' };
}

function isOrder(text: string): text is Order {
  return Object.hasOwn(orders, text);
}

/** The work units behind a figure, page by page. */
export function useUnits(variables: WorkUnitsQueryVariables): UseInfiniteQueryResult<InfiniteData<UnitPage>> {
  return useInfiniteQuery({
    queryKey: ['work-units', variables],
    initialPageParam: null as string | null, // a cursor follows
    queryFn: async ({ pageParam: after, signal }) =>
      (await ask('work-units', { ...variables, after }, signal)).workUnits,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Why a unit is classified as it is. */
export function useExplanation(orgId: string, id: string): UseQueryResult<Explanation> {
  return useQuery({
    queryKey: ['work-unit', orgId, id],
    queryFn: async ({ signal }) => (await ask('work-unit', { orgId, id }, signal)).workUnit,
  });
}

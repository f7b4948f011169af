import type { Analytics } from '../analytics.js';
import type { OrganizationCalendar } from '../organization-calendar.js';
import type { UnitRecords } from '../unit-records.js';
import type { RangeRules } from './check-batch.js';

/** The context of resolvers: one request of a caller who may read one organization. */
export interface GraphqlContext extends RangeRules {
  /** The requested organization, which the caller may read. */
  readonly orgId: string;
  readonly analytics: Analytics;
  readonly unitRecords: UnitRecords;
  /** Reads the calendar of the organization, once for the whole request. */
  readonly calendar: () => Promise<OrganizationCalendar>;
  /** The number of sub-requests in the batches so far; the limit applies to all batches of the request together. */
  readonly asked: { subRequests: number };
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The context of a new request. */
export function createContext(parts: Omit<GraphqlContext, 'asked' | 'calendar'>): GraphqlContext {
  let calendar: Promise<OrganizationCalendar> | undefined;
  return {
    ...parts,
    asked: { subRequests: 0 },
    calendar: () => (calendar ??= parts.unitRecords.calendar(parts.orgId)),
  };
}

import type { Analytics } from '../analytics.js';
import type { UnitRecords } from '../unit-records.js';

/** The context of resolvers: one request of a caller who may read one organization. */
export interface GraphqlContext {
  /** The requested organization, which the caller may read. */
  readonly orgId: string;
  readonly analytics: Analytics;
  readonly unitRecords: UnitRecords;
  /** The number of sub-requests in the batches so far; the limit applies to all batches of the request together. */
  readonly asked: { subRequests: number };
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** The day in UTC, as YYYY-MM-DD. */
  readonly today: string;
}

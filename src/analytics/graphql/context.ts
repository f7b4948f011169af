import type { Analytics } from '../analytics.js';
import type { UnitRecords } from '../unit-records.js';

/** What resolvers work with: one request of one caller, who may read one organization. */
export interface GraphqlContext {
  /** The organization that the caller has named and may read. */
  readonly orgId: string;
  readonly analytics: Analytics;
  readonly unitRecords: UnitRecords;
  /** How many sub-requests the batches of this request have asked for so far; the limit is for all of them together. */
  readonly asked: { subRequests: number };
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

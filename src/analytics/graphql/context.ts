import type { Analytics } from '../analytics.js';

/** What resolvers work with: one request of one caller, who may read one organization. */
export interface GraphqlContext {
  /** The organization that the caller has named and may read. */
  readonly orgId: string;
  readonly analytics: Analytics;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

/** The figures of the Delivery page, as the API answers them. */
import type {
  CodeHealthQuery,
  DoraQuery,
  RequestPhasesQuery,
  ReviewsQuery,
  WorkInProgressQuery,
} from '@plumbline/sdk/analytics';

export type Dora = NonNullable<DoraQuery['analytics']['dora']>;
export type DoraKeys = Dora['total'];
export type Phases = RequestPhasesQuery['analytics']['distributions'];
export type OpenRequests = NonNullable<WorkInProgressQuery['analytics']['workInProgress']>;
export type Reviews = NonNullable<ReviewsQuery['analytics']['reviews']>;
export type CodeHealth = CodeHealthQuery['codeHealth'];

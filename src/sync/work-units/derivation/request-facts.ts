/** The data that the unit of a pull or merge request depends on. */
import type { AnyRow } from '../../records.js';
import { numberOrNull } from '../row-values.js';
import type { CommitFacts } from './commits.js';

/** A pull or merge request with the records that its unit depends on. */
export interface RequestFacts {
  /** With `REQUEST_COLUMNS`. */
  readonly row: AnyRow;
  /** The stored commits that belong to it, in any order. */
  readonly commits: readonly CommitFacts[];
  readonly reviews: readonly Review[];
  /**
   * The time of the first deployment to production that contains it, in epoch milliseconds; null if there is none, or
   * it is not merged.
   */
  readonly deployedAt: number | null;
}

export interface Review {
  readonly reviewer: string;
  readonly state: string;
  /** Epoch milliseconds. */
  readonly submittedAt: number;
}

/** The time of a request's merge; null if it was not merged. */
export function mergedAt(row: AnyRow): number | null {
  return numberOrNull(row, 'merged_at') ?? (row['state'] === 'merged' ? numberOrNull(row, 'closed_at') : null);
}

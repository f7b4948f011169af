/** Decides which of the commits that name requests count, and as which requests. */
import type { RequestEvidence } from '../../records.js';
import { storedNumber } from '../../request-numbers.js';
import type { EndedRequest } from './request-messages.js';

/** A commit that ends a request. */
export interface Ending extends Pick<EndedRequest, 'number' | 'origin' | 'evidence'> {
  readonly hash: string;
}

/** A request, by the commit that counts for it. */
export interface Counted {
  readonly hash: string;
  /** The number as it is stored. */
  readonly number: number;
}

/**
 * From the weakest to the strongest evidence. If several commits name a request, the strongest one counts; of equal
 * ones, the newest.
 */
const BY_STRENGTH: readonly RequestEvidence[] = ['ref', 'title', 'squash', 'trailer', 'merge'];

/**
 * The requests that these commits end, newest first.
 *
 * Commits with the same number and origin end the same request. Of several requests with one number, the one that was
 * ended first keeps it. Commits without an origin count only where no other has the number.
 *
 * @param endings of a whole history, newest first
 */
export function countedRequests(endings: readonly Ending[]): readonly Counted[] {
  const byNumber = new Map<number, Map<string | null, Ending>>();
  for (const ending of endings.toReversed()) {
    const requests = byNumber.get(ending.number) ?? new Map<string | null, Ending>();
    byNumber.set(ending.number, requests);
    const known = requests.get(ending.origin);
    if (known === undefined || !isStronger(known, ending)) requests.set(ending.origin, ending);
  }
  const numbers = new Map<string, number>();
  for (const [number, requests] of byNumber) {
    if (requests.size > 1) requests.delete(null);
    for (const [earlier, { hash }] of [...requests.values()].entries()) {
      const stored = storedNumber(number, earlier);
      if (stored !== undefined) numbers.set(hash, stored);
    }
  }
  return endings.flatMap(({ hash }) => {
    const number = numbers.get(hash);
    return number === undefined ? [] : [{ hash, number }];
  });
}

function isStronger(one: Ending, other: Ending): boolean {
  return BY_STRENGTH.indexOf(one.evidence) > BY_STRENGTH.indexOf(other.evidence);
}

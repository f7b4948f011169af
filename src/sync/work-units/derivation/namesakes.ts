/** Requests of several repositories that have one number at their hosts; see `request-numbers.ts`. */
import { numberAtHost } from '../../request-numbers.js';
import { linksByHash, type StoredLink } from './links.js';

/**
 * Leaves out links from messages that mean a namesake of the request: the message of its merge has the number that both
 * have at their hosts.
 *
 * @param links all links of each of their commits
 */
export function withoutNamesakes(links: readonly StoredLink[]): readonly StoredLink[] {
  if (!links.some(({ number }) => hasNamesake(number))) return links;
  const byHash = linksByHash(links);
  const isOfNamesake = ({ hash, number, kind }: StoredLink): boolean =>
    kind !== 'listed' &&
    (byHash.get(hash) ?? []).some(
      (other) => other.kind === 'listed' && other.number !== number && numberAtHost(other.number) === number,
    );
  return links.filter((link) => !isOfNamesake(link));
}

/** A merged request. */
export interface MergedRequest {
  readonly number: number;
  /** Null if it is unknown. */
  readonly hash: string | null;
}

/**
 * The requests that repeat another one: merged as the same commit as a namesake with a lower number. A clone stores the
 * second request with a number so, and a host, where it is the only one, stores it with its number.
 */
export function repeatedRequests(merged: readonly MergedRequest[]): ReadonlySet<number> {
  const key = ({ number, hash }: MergedRequest): string => `${numberAtHost(number)} ${hash ?? ''}`;
  const first = new Map<string, number>();
  for (const request of merged.toSorted((one, other) => other.number - one.number))
    first.set(key(request), request.number);
  const repeats = (request: MergedRequest): boolean =>
    request.hash !== null && first.get(key(request)) !== request.number;
  return new Set(merged.filter(repeats).map(({ number }) => number));
}

/** Whether a request is stored with another number than it has at its host. */
export function hasNamesake(number: number): boolean {
  return numberAtHost(number) !== number;
}

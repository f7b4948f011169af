/**
 * The stored numbers of requests. The history of a clone may contain requests of several repositories: those of a fork
 * and of what it forked, or of the host that a project has left. The first one that has a number is stored with it. The
 * second request 12 is stored as 1000000012, the third one as 1010000012: no host counts that far.
 */

const FIRST = 1_000_000_000;
const STEP = 10_000_000;
/** PostgreSQL stores numbers below 2^31. */
const MOST = Math.floor((2 ** 31 - FIRST) / STEP);

/**
 * The stored number of a request that shares its number with others.
 *
 * @param earlier how many of the others come before it
 * @returns undefined if it cannot be stored besides them
 */
export function storedNumber(number: number, earlier: number): number | undefined {
  if (earlier === 0) return number;
  return number < STEP && earlier <= MOST ? FIRST + (earlier - 1) * STEP + number : undefined;
}

/** The number that a request has at its host. */
export function numberAtHost(stored: number): number {
  return stored < FIRST ? stored : stored % STEP;
}

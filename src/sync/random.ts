import { randomUUID } from 'node:crypto';

/** The random source of a sync, passed in so that tests control it. */
export interface Random {
  /** A random number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Creates a unique id for one run of one repository. */
  readonly newId: () => string;
}

export const systemRandom: Random = { random: Math.random, newId: randomUUID };

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Log } from '../../../generated/contract.js';
import { maxPasswordBytes } from './password-rules.js';

/** Hashes passwords and compares them. */
export interface Passwords {
  /**
   * @param password one that `checkPassword` accepts
   * @throws PasswordsBusy when too many computations wait
   */
  hash(password: string): Promise<string>;
  /**
   * Compares, and does the same work whether or not there is anything to compare with: `null` is compared with a fixed
   * hash that no password has.
   *
   * @throws PasswordsBusy when too many computations wait
   */
  matches(password: string, hashed: string | null): Promise<boolean>;
  /**
   * Whether a hash was made with a lower work factor than today's: then it is replaced at the next login. A higher one
   * stays; otherwise servers with different settings would replace each other's hashes.
   */
  isOutdated(hashed: string): boolean;
  /** Ends the worker threads. */
  close(): Promise<void>;
}

/** More password computations wait than the server admits. It is answered 503. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy';
}

export interface PasswordOptions {
  /** The work factor: 2^cost rounds. */
  readonly cost: number;
  /** How many computations may wait while all threads are busy. */
  readonly queue: number;
  readonly log: Log;
}

/**
 * Passwords with bcrypt, in worker threads: one per core, started with the first computation. The thread pool of libuv
 * is not used, because signing and verifying tokens would wait there behind the computations. On Linux the workers run
 * with a lower priority, so that a crowd of logins does not delay other requests.
 */
export function createPasswords({ cost, queue, log }: PasswordOptions): Passwords {
  const dummy = dummyHash(cost);
  const threads = availableParallelism();
  let pool: Piscina | null = null;
  let underWay = 0;

  const compute = async (name: 'hash' | 'verify', task: object): Promise<unknown> => {
    if (underWay >= threads + queue) throw new PasswordsBusy('too many password computations wait');
    pool ??= startWorkers(threads, log);
    underWay += 1;
    try {
      return await pool.run(task, { name });
    } finally {
      underWay -= 1;
    }
  };
  return {
    hash: async (password) => String(await compute('hash', { password, cost })),
    matches: async (password, hashed) => {
      const equal = (await compute('verify', { password, hashed: hashed ?? dummy })) === true;
      // bcrypt sees 72 bytes: a longer password must not pass for one that begins alike.
      return equal && hashed !== null && Buffer.byteLength(password) <= maxPasswordBytes;
    },
    isOutdated: (hashed) => Number(/^\$2[abxy]\$(\d\d)\$/.exec(hashed)?.[1]) < cost,
    close: async () => {
      await pool?.destroy();
    },
  };
}

function startWorkers(threads: number, log: Log): Piscina {
  const pool = new Piscina({
    filename: new URL('./bcrypt-worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: Infinity,
    niceIncrement: process.platform === 'linux' ? 10 : 0, // elsewhere it would apply to the whole process
    execArgv: [], // a loader of the main thread is of no use to a worker
  });
  // A worker that dies between two tasks; the pool starts another one.
  pool.on('error', (error: unknown) => {
    log.error({ err: error }, 'a password worker has failed');
  });
  return pool;
}

/** A well-formed hash of this cost that nobody knows a password for: comparing with it is the whole work. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Log } from '@plumbline/contract/contract-types';
import { loadNative } from '../../../database/native-package.js';
import { maxPasswordBytes, normalizePassword } from './password-rules.js';

// Also loaded here, so that the start fails if the machine has no binary. Otherwise a worker that cannot load it would
// be restarted forever, and the request would get no reply.
loadNative('@node-rs/bcrypt');

/** Hashes and compares passwords. */
export interface Passwords {
  /**
   * @param password accepted by `checkPassword`
   * @throws PasswordsBusy when too many computations are queued, none ends in time, or `close` came before
   */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with a hash. `null` is compared with a fixed hash that matches no password, which takes the
   * same time.
   *
   * @throws PasswordsBusy like `hash`
   */
  matches(password: string, hashed: string | null): Promise<boolean>;
  /**
   * Compares a password with a hash, as `matches` does.
   *
   * @returns `outdated`: they match, and the hash should be replaced. It has a lower work factor than the setting, or is
   * that of a text before its normalization. Hashes with a higher one are kept; otherwise servers with different
   * settings would replace each other's hashes.
   */
  compare(password: string, hashed: string | null): Promise<'different' | 'equal' | 'outdated'>;
  /** Ends the worker threads, and the computations that they have not done. */
  close(): Promise<void>;
}

/** The queue of password computations is full, no thread works, or the server stops. Reported as 503. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy';
}

export interface PasswordOptions {
  /** The work factor: 2^cost rounds. */
  readonly cost: number;
  /** Maximum number of queued computations while all threads are busy. */
  readonly queue: number;
  readonly log: Log;
}

/** Longer than a full queue takes, and shorter than clients wait. */
const LONGEST_WAIT_MS = 20_000;

/**
 * Hashes passwords with bcrypt in worker threads: one per core, started on first use. The thread pool of libuv is not
 * used, because signing and verifying tokens would wait there behind the hashing. On Linux the workers run with lower
 * priority, so that many logins do not delay other requests.
 */
export function createPasswords({ cost, queue, log }: PasswordOptions): Passwords {
  const dummy = dummyHash(cost);
  const threads = availableParallelism();
  let pool: Piscina | null = null;
  let underWay = 0;
  let isClosed = false;

  const compute = async (name: 'hash' | 'verify', task: object): Promise<unknown> => {
    if (underWay >= threads + queue) throw new PasswordsBusy('the queue of password computations is full');
    pool ??= startWorkers(threads, log);
    underWay += 1;
    // A thread that cannot load its file, as during an upgrade in place, is restarted again and again.
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    try {
      return await pool.run(task, { name, signal });
    } catch (error) {
      if (signal.aborted) throw new PasswordsBusy('no thread has done the computation in time', { cause: error });
      throw isClosed ? new PasswordsBusy('the server has stopped before the computation', { cause: error }) : error;
    } finally {
      underWay -= 1;
    }
  };
  const isHashOf = async (password: string, hashed: string | null): Promise<boolean> => {
    const equal = (await compute('verify', { password, hashed: hashed ?? dummy })) === true;
    return equal && hashed !== null && isWholeFor(password);
  };
  const compare: Passwords['compare'] = async (password, hashed) => {
    const normalized = normalizePassword(password);
    if (await isHashOf(normalized, hashed)) return isWeakerThan(cost, hashed) ? 'outdated' : 'equal';
    // Releases before this one hashed what the keyboard sent. The second comparison depends on the entered text alone.
    if (normalized === password || !(await isHashOf(password, hashed))) return 'different';
    return isWholeFor(normalized) ? 'outdated' : 'equal';
  };
  return {
    hash: async (password) => String(await compute('hash', { password: normalizePassword(password), cost })),
    matches: async (password, hashed) => (await compare(password, hashed)) !== 'different',
    compare,
    close: async () => {
      isClosed = true;
      await pool?.destroy();
    },
  };
}

/** Whether bcrypt uses all of a password: only 72 bytes. A longer one must not match by its prefix. */
function isWholeFor(password: string): boolean {
  return Buffer.byteLength(password) <= maxPasswordBytes;
}

function isWeakerThan(cost: number, hashed: string | null): boolean {
  return Number(/^\$2[abxy]\$(\d\d)\$/.exec(hashed ?? '')?.[1]) < cost;
}

function startWorkers(threads: number, log: Log): Piscina {
  const pool = new Piscina({
    filename: new URL('./bcrypt-worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: Infinity,
    niceIncrement: process.platform === 'linux' ? 10 : 0, // elsewhere it would apply to the whole process
    execArgv: [], // workers do not need the main thread's loader
  });
  // A worker that dies while idle; the pool starts another one.
  pool.on('error', (error: unknown) => {
    log.error({ err: error }, 'a password worker has failed');
  });
  return pool;
}

/** A well-formed hash of this cost that no known password matches. Comparing with it takes the full time. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

import { randomBytes, randomUUID } from 'node:crypto';

/** The one clock. Tests hold it still or move it; nothing else tells the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The one source of ids and of random bytes. */
export interface Random {
  uuid(): string;
  bytes(length: number): Buffer;
}

export const systemRandom: Random = { uuid: randomUUID, bytes: randomBytes };

/** A point in time `seconds` after `from`. */
export function after(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}

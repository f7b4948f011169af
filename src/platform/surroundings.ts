import { randomBytes, randomUUID } from 'node:crypto';

/** The only clock. Tests control it; no other code reads the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The only source of ids and random bytes. */
export interface Random {
  uuid(): string;
  bytes(length: number): Buffer;
}

export const systemRandom: Random = { uuid: randomUUID, bytes: randomBytes };

/** The time `seconds` after `from`. */
export function after(from: Date, seconds: number): Date {
  return new Date(from.getTime() + seconds * 1000);
}

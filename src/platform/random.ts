import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of ids and random bytes. */
export interface Random {
  uuid(): string;
  bytes(length: number): Buffer;
}

export const systemRandom: Random = { uuid: randomUUID, bytes: randomBytes };

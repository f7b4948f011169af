import { Writable } from 'node:stream';
import { pino } from 'pino';

/** A real logger whose lines a test can read. */
export interface CapturedLog {
  readonly log: pino.Logger;
  readonly lines: readonly string[];
}

export function captureLog(level = 'debug'): CapturedLog {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  return { log: pino({ level, base: null }, destination), lines };
}

import { Writable } from 'node:stream';
import { pino } from 'pino';

/** A real logger whose lines a test can read. */
export interface CapturedLog {
  readonly log: pino.Logger;
  readonly lines: readonly string[];
}

const leastLevelOfErrors = pino.levels.values['error'] ?? 50;

/** What servers of this process have logged as errors since the running test began, one JSON text each. */
const recentErrors: string[] = [];

export function captureLog(level = 'debug'): CapturedLog {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const line = chunk.toString('utf8');
      lines.push(line);
      if (levelOf(line) >= leastLevelOfErrors) recentErrors.push(line);
      done();
    },
  });
  return { log: pino({ level, base: null }, destination), lines };
}

/** Gives the errors that were logged since the last call, and forgets them. */
export function takeRecentErrors(): readonly string[] {
  return recentErrors.splice(0);
}

/** Reads the level without parsing the line: pino writes it first, and tests log many lines. */
function levelOf(line: string): number {
  return Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0);
}

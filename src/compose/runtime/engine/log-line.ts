/** Log lines: parses one that begins with its time, and bounds their length. */
import type { LogLine, OutputStream } from '../records.js';
import { utcTime } from './time.js';

/** Longer lines are split, because containers may write without ever ending a line. */
export const LONGEST_LOG_LINE = 1024 * 1024;

export function logLine(stream: OutputStream, text: string): LogLine {
  const space = text.indexOf(' ');
  const time = utcTime(space === -1 ? text : text.slice(0, space));
  // A line without a time is a message of the engine and is kept unchanged.
  if (time === undefined) return { stream, line: text, time: '' };
  return { stream, line: space === -1 ? '' : text.slice(space + 1), time };
}

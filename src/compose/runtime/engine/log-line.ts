/** Parses a log line that begins with its time. */
import type { LogLine, OutputStream } from '../records.js';
import { utcTime } from './time.js';

export function logLine(stream: OutputStream, text: string): LogLine {
  const space = text.indexOf(' ');
  const time = utcTime(space === -1 ? text : text.slice(0, space));
  // A line without a time is a message of the engine and is kept unchanged.
  if (time === undefined) return { stream, line: text, time: '' };
  return { stream, line: space === -1 ? '' : text.slice(space + 1), time };
}

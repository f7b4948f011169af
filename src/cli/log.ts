import { pino, type Logger, type LoggerOptions } from 'pino';
import { currentSpan } from '@plumbline/contract/system/tracing';
import type { PlatformSettings } from '../platform/server/settings.js';

/** The log of a command as JSON lines: on standard output for a server, otherwise on standard error. */
export function createLog(level: string, destination: 1 | 2): Logger {
  return pino(options(level), pino.destination({ fd: destination, sync: false }));
}

/** The log of a server on standard output, in the format of LOG_FORMAT. */
export async function createServerLog({ logLevel, logFormat }: LogSettings): Promise<Logger> {
  const isHuman = logFormat === 'human' || (logFormat === 'auto' && process.stdout.isTTY);
  if (!isHuman) return createLog(logLevel, 1);
  const { default: pretty } = await import('pino-pretty'); // loaded only if needed
  const stream = pretty({
    colorize: process.stdout.isTTY && process.stdout.hasColors() && (process.env['NO_COLOR'] ?? '') === '',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true, // asynchronous output would lose the last lines at exit
  });
  return pino(options(logLevel), stream);
}

type LogSettings = Pick<PlatformSettings, 'logLevel' | 'logFormat'>;

function options(level: string): LoggerOptions {
  return {
    level,
    base: null,
    // Adds the ids of the current trace to each line. A new object each time, because pino adds the line's fields to
    // it.
    mixin: () => ({ ...currentSpan()?.ids }),
    timestamp: pino.stdTimeFunctions.isoTime,
    // No log line should contain these; the redaction is a safeguard.
    redact: [
      'password',
      'token',
      'access_token',
      'refresh_token',
      'authorization',
      '*.password',
      '*.token',
      '*.authorization',
    ],
  };
}

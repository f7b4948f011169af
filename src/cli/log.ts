import { pino, type Logger } from 'pino';

/** The log of a command: JSON lines, on standard output for a server, else on standard error. */
export function createLog(level: string, destination: 1 | 2): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Nothing that is logged holds these; should something ever do, they still do not get out.
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
    },
    pino.destination({ fd: destination, sync: false }),
  );
}

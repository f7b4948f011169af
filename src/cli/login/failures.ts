/** Failures of calls to a server, as lines for people and exit codes. */
import { oneLine } from '../one-line.js';
import {
  ApiVersionError,
  ConnectionError,
  PlumblineError,
  TimeoutError,
  UnexpectedReplyError,
  type Failure,
} from '../sdk.js';
import { fetchFailure } from '@plumbline/contract/system/fetch-failure';
import { UsageError } from '../usage-error.js';

/** The exit codes of commands that talk to a server. */
export const EXIT = { failed: 1, usage: 2, refused: 3, runNotComplete: 4 } as const;

const unreachable = 'Start the server, or name another with --server or PLUMBLINE_SERVER.';

/** Runs a command, and reports correctable errors in one line. */
export async function reportingCalls(command: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const found = callFailure(error);
    if (found === null) throw error;
    for (const line of found.lines) console.error(`plumbline ${command}: ${oneLine(line)}`);
    if (error instanceof ConnectionError) console.error(unreachable);
    process.exitCode = found.exitCode;
  }
}

/** null: an error of the program. */
export function callFailure(error: unknown): { readonly lines: readonly string[]; readonly exitCode: number } | null {
  if (error instanceof UsageError) return { lines: error.message.split('\n'), exitCode: EXIT.usage };
  if (error instanceof PlumblineError) return { lines: problemLines(error), exitCode: exitCodeOf(error.status) };
  if (error instanceof ConnectionError) {
    const reason = fetchFailure(error.cause);
    return { lines: [`${error.host} cannot be reached: ${reason}`], exitCode: EXIT.failed };
  }
  if (error instanceof ApiVersionError) {
    const { served, expected } = error;
    const reason = `the server has version ${served} of the API, and this command is for ${expected}`;
    return { lines: [`${reason}; use the plumbline of the server's release`], exitCode: EXIT.failed };
  }
  const isOfCall = error instanceof TimeoutError || error instanceof UnexpectedReplyError;
  return isOfCall ? { lines: [error.message], exitCode: EXIT.failed } : null;
}

function exitCodeOf(status: number): number {
  return status < 500 ? EXIT.refused : EXIT.failed;
}

/** Problems that a new log-in ends. */
const needsLogin: readonly string[] = ['/problems/unauthenticated', '/problems/recent-login-required'];

/** The message, the type and the request id of a problem, and what is invalid. */
function problemLines({ status, problem, requestId }: Pick<Failure, 'status' | 'problem' | 'requestId'>): string[] {
  const hint = needsLogin.includes(problem.type) ? ' Log in with plumbline login.' : '';
  const violations: unknown = Reflect.get(problem, 'violations');
  return [
    `${problem.message}${hint} (${status} ${problem.type}${requestId === null ? '' : `, request ${requestId}`})`,
    ...(Array.isArray(violations) ? violations.flatMap(violationLine) : []),
  ];
}

function violationLine(violation: unknown): string[] {
  if (typeof violation !== 'object' || violation === null) return [];
  if (!('path' in violation) || !('message' in violation)) return [];
  return [`  ${String(violation.path)} ${String(violation.message)}`];
}

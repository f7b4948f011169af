import { ConnectionError, PlumblineError, TimeoutError, UnexpectedReplyError } from '@plumbline/sdk';
import type { ProblemDocument } from '@plumbline/sdk';

/** What went wrong, in words for the person who uses the console. */
export interface Trouble {
  readonly title: string;
  readonly message: string;
  /** What to do about it; empty where the message says all. */
  readonly advice: string;
  /** What an operator finds the cause by. */
  readonly requestId: string | null;
  /** The page that explains the problem; null: there is none. */
  readonly page: string | null;
  /** Whether asking again may help. */
  readonly retry: boolean;
  /** Whether it is expected to end by itself, so that views ask again unasked. */
  readonly passes: boolean;
}

/** Puts whatever a call threw into words. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof PlumblineError) return troubleOfProblem(error.problem);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return {
      title: 'The server cannot be reached',
      message: 'No reply came from the server.',
      advice: 'Check the connection. The console tries again by itself.',
      requestId: null,
      page: null,
      retry: true,
      passes: true,
    };
  }
  return {
    title: 'Something went wrong',
    message: error instanceof Error ? error.message : String(error),
    advice: 'Try again. If this happens again, tell your operator what you did.',
    requestId: error instanceof UnexpectedReplyError ? error.requestId : null,
    page: null,
    retry: true,
    passes: false,
  };
}

/** The same for a problem that a call returned. */
export function troubleOfProblem(problem: ProblemDocument): Trouble {
  const { title, message, request_id: requestId, type, status } = problem;
  const retry = status >= 500 || status === 429;
  const text = asSentence(message);
  return { title, message: text, advice: adviceFor(problem), requestId, page: type, retry, passes: status === 503 };
}

function adviceFor(problem: ProblemDocument): string {
  const role: unknown = Reflect.get(problem, 'required_role');
  if (typeof role === 'string') return `This needs the role ${role}. Ask an owner of your organization for it.`;
  const seconds = retryAfter(problem);
  if (seconds !== null) return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  if (problem.status >= 500) return 'Try again later. If it persists, give your operator the request id.';
  if (problem.status === 404) return 'It may have been removed. Go back and load the list again.';
  if (problem.status === 401) return 'Check what you entered, and try again.';
  return '';
}

/** A message with a full stop, so that the advice can follow it. Some messages of the contract have none. */
function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Seconds to wait before the next attempt, where a problem states them. */
export function retryAfter(problem: ProblemDocument): number | null {
  const seconds: unknown = Reflect.get(problem, 'retry_after_seconds');
  return typeof seconds === 'number' ? seconds : null;
}

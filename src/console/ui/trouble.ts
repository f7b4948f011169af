import { ConnectionError, PlumblineError, TimeoutError, UnexpectedReplyError } from '@plumbline/sdk';
import type { ProblemDocument } from '@plumbline/sdk';
import { AnalyticsQueryError } from '@plumbline/sdk/analytics';

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
  /** How long the server asked to wait, in seconds; null: it did not say. */
  readonly waitSeconds: number | null;
}

/** What a gateway answers while the server behind it is away. */
const outages: readonly number[] = [502, 503, 504];

/** Puts whatever a call threw into words. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof PlumblineError) return troubleOfProblem(error.problem);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return {
      title: 'The server cannot be reached',
      message: 'No reply came from the server.',
      advice: 'Check the connection.',
      requestId: null,
      page: null,
      retry: true,
      passes: true,
      waitSeconds: null,
    };
  }
  if (error instanceof UnexpectedReplyError && outages.includes(error.status)) {
    return {
      title: 'The server is away',
      message: `Something between the console and the server answered instead (${error.status}).`,
      advice: 'This happens while the server restarts.',
      requestId: error.requestId,
      page: null,
      retry: true,
      passes: true,
      waitSeconds: null,
    };
  }
  if (error instanceof AnalyticsQueryError) return troubleOfQuery(error);
  return {
    title: 'Something went wrong',
    message: error instanceof Error ? error.message : String(error),
    advice: 'Try again. If this happens again, tell your operator what you did.',
    requestId: error instanceof UnexpectedReplyError ? error.requestId : null,
    page: null,
    retry: true,
    passes: false,
    waitSeconds: null,
  };
}

function troubleOfQuery({ error, status, requestId }: AnalyticsQueryError): Trouble {
  const seconds = retryAfter(error);
  const isTooMany = status === 429;
  return {
    title: isTooMany ? 'Too many requests' : 'The figures could not be read',
    message: asSentence(error.message),
    advice: isTooMany ? '' : 'Try again. If it persists, give your operator the request id.',
    requestId,
    page: null,
    retry: !isTooMany, // it would be refused until then
    passes: isTooMany || status === 503,
    waitSeconds: seconds,
  };
}

/** The same for a problem that a call returned. */
export function troubleOfProblem(problem: ProblemDocument): Trouble {
  const { title, message, request_id: requestId, type, status } = problem;
  const retry = status >= 500 || status === 429;
  const text = asSentence(message);
  const passes = status === 429 || outages.includes(status);
  const waitSeconds = retryAfter(problem);
  return { title, message: text, advice: adviceFor(problem), requestId, page: type, retry, passes, waitSeconds };
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

/** Seconds to wait before the next attempt, where the server states them. */
export function retryAfter(refusal: object): number | null {
  const seconds: unknown = Reflect.get(refusal, 'retry_after_seconds');
  return typeof seconds === 'number' ? seconds : null;
}

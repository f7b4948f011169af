import { ConnectionError, TimeoutError } from './errors.js';
import { delayBeforeRetry, type RetryPolicy } from './retry.js';

/** Sends requests: the global `fetch`, or a function that connects differently. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** What is known about one attempt of a call, for logs. */
export interface AttemptReport {
  /** Method and path, with the names of parameters in place of their values: `GET /things/{thing_id}`. */
  readonly operation: string;
  /** From 1. */
  readonly attempt: number;
  /** Until the end of the body, or of the headers if the body is a stream. */
  readonly durationMs: number;
  /** null: there was no reply. */
  readonly status: number | null;
  /** `X-Request-Id` of the reply. */
  readonly requestId: string | null;
  /** The name of the error if there was no reply: `ConnectionError`, `TimeoutError`. */
  readonly error: string | null;
}

/** A request that can be sent repeatedly. */
export interface Sendable {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  /** null: none. */
  readonly body: string | null;
}

export interface SendOptions {
  readonly fetch: Fetch;
  /** The name of the operation in errors. */
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  /** Time limit of one attempt in milliseconds: until the end of the body, or of the headers if the body is a stream. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly policy: RetryPolicy;
  readonly debug: ((report: AttemptReport) => void) | undefined;
  /** Whether the body of a success is returned as a stream. */
  readonly stream: boolean;
}

/**
 * Sends a request, and retries it according to `delayBeforeRetry`.
 *
 * @throws ConnectionError, TimeoutError, or the reason of the signal that aborted it
 */
export async function send(request: Sendable, options: SendOptions): Promise<Response> {
  const { signal, retries, policy } = options;
  for (let attempt = 1; ; attempt++) {
    const start = policy.timing.now();
    const outcome = await attemptOnce(request, options);
    const response = outcome instanceof Error ? null : outcome;
    options.debug?.({
      operation: options.operation,
      attempt,
      durationMs: policy.timing.now() - start,
      status: response?.status ?? null,
      requestId: response?.headers.get('x-request-id') ?? null,
      error: outcome instanceof Error ? outcome.name : null,
    });
    const delay = attempt > retries ? null : delayBeforeRetry(response, attempt, policy);
    if (delay === null) {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
    await policy.timing.sleep(delay, signal);
  }
}

/** Waits for shared work: the signal ends the waiting, not the work. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener('abort', stop);
  await Promise.race([work, aborted]).finally(() => {
    signal.removeEventListener('abort', stop);
  });
  signal.throwIfAborted();
  return work;
}

/** Returns the reply, or the reason why there is none. Throws only if the caller's signal aborts. */
async function attemptOnce(
  request: Sendable,
  options: SendOptions,
): Promise<Response | ConnectionError | TimeoutError> {
  const { signal, timeoutMs, operation } = options;
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
  }, timeoutMs);
  try {
    const response = await options.fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === null ? {} : { body: request.body }),
      signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      redirect: 'manual', // these APIs do not redirect, and tokens must not be sent elsewhere
    });
    return options.stream && response.ok ? response : await complete(response);
  } catch (cause) {
    signal?.throwIfAborted();
    return deadline.signal.aborted
      ? new TimeoutError(operation, timeoutMs)
      : new ConnectionError(operation, request.url, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the whole body: a broken connection fails here, before a retry decision. */
async function complete(response: Response): Promise<Response> {
  const text = await response.text();
  if (response.status < 200) return response; // a browser's opaque redirect; it has no body
  const { status, statusText, headers, url } = response;
  // A constructed reply has no URL.
  return Object.defineProperty(new Response(text === '' ? null : text, { status, statusText, headers }), 'url', {
    value: url,
  });
}

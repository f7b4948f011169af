import { ConnectionError, TimeoutError } from './errors.js';
import { delayBeforeRetry, type RetryPolicy } from './retry.js';

/** What a client sends with: the global `fetch`, or one with another way to the server. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** One request, in a form that can be sent again. */
export interface Sendable {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  /** null: none. */
  readonly body: string | null;
}

export interface SendOptions {
  readonly fetch: Fetch;
  /** Names the operation in errors. */
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds for one attempt: to the end of the body, or of the headers when the body is a stream. */
  readonly timeoutMs: number;
  readonly retries: number;
  readonly policy: RetryPolicy;
  /** Whether the body of a success is handed over as it arrives. */
  readonly stream: boolean;
}

/**
 * Sends a request, and sends it again where `delayBeforeRetry` says so.
 *
 * @throws ConnectionError, TimeoutError, or the reason of the signal that ended it
 */
export async function send(request: Sendable, options: SendOptions): Promise<Response> {
  const { signal, retries, policy } = options;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(request, options);
    const response = outcome instanceof Error ? null : outcome;
    const delay = attempt > retries ? null : delayBeforeRetry(response, attempt, policy);
    if (delay === null) {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
    await policy.timing.sleep(delay, signal);
  }
}

/** Waits for work that others wait for too: the signal ends the waiting, not the work. */
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

/** The reply, or why there is none. Throws only when the caller's signal ends it. */
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
      redirect: 'manual', // no API of ours redirects, and tokens go to nobody else
    });
    return options.stream && response.ok ? response : await complete(response);
  } catch (cause) {
    signal?.throwIfAborted();
    return deadline.signal.aborted ? new TimeoutError(operation, timeoutMs) : new ConnectionError(operation, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** The same reply with its body read: a connection that breaks does so here, and none is left half read at a retry. */
async function complete(response: Response): Promise<Response> {
  const text = await response.text();
  if (response.status < 200) return response; // a browser's opaque redirect; it has no body
  const { status, statusText, headers } = response;
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

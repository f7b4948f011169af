/**
 * Sends all outbound HTTP requests of this program. Calls to servers that users configure must use it (OWASP:
 * server-side request forgery).
 */
import type { Dispatcher, fetch as UndiciFetch, Response as UndiciResponse } from 'undici';
import { inSpan, type Span } from '../system/tracing.js';
import type { AddressPolicy } from './addresses.js';
import { openDispatcher, type Lookup } from './dispatcher.js';
import { fetchFailure } from '../system/fetch-failure.js';

export interface OutboundRequest {
  /** Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the call with the signal's reason. */
  readonly signal: AbortSignal;
  /** Time limit of the whole call in milliseconds, including redirects and the body. */
  readonly timeoutMs: number;
  /** A reply body larger than this after decompression fails the call. Default 128 MiB. */
  readonly maxBytes?: number;
  /** Returns the first reply without its body, once its headers have arrived. Redirects are not followed. */
  readonly statusOnly?: boolean;
}

/** Sends a request and reads the whole reply, unless the request says otherwise. */
export type OutboundFetch = (url: string, request: OutboundRequest) => Promise<Response>;

/** There was no reply. If the call was for an organization, only the cause has the reason; the message does not. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** The reply body is longer than the request allows. Calls fail with `UnreachableError`, of which this is the cause. */
export class ReplyTooLongError extends Error {
  override readonly name = 'ReplyTooLongError';
}

/** The server redirects to another origin, to which the request's credentials must not be sent. */
export class RedirectRefusedError extends Error {
  override readonly name = 'RedirectRefusedError';
}

const MOST_REDIRECTS = 5;
const LARGEST_BODY = 128 * 1024 * 1024;
const REDIRECTS = [301, 302, 303, 307, 308];

export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}

/**
 * Creates the fetch function for `policy`.
 *
 * Redirects are followed for GET and HEAD, at most five times, and only within the origin of the request: the same
 * scheme, host and port. So credentials are not sent to other servers, and https never becomes http.
 *
 * @throws (from calls) UnreachableError; RedirectRefusedError, for the policy `any` only; the signal's reason
 */
export function outboundFetch(policy: AddressPolicy, lookup?: Lookup): OutboundFetch {
  // undici loads slowly, and most commands make no outbound calls.
  let opened: Promise<{ readonly fetch: typeof UndiciFetch; readonly dispatcher: Dispatcher }> | undefined;
  const open = async (): NonNullable<typeof opened> => ({
    fetch: (await import('undici')).fetch,
    dispatcher: await openDispatcher(policy, lookup),
  });

  const follow = async (url: URL, request: OutboundRequest, signal: AbortSignal): Promise<UndiciResponse> => {
    const { fetch, dispatcher } = await (opened ??= open());
    const { method = 'GET', headers = {}, body = null, statusOnly = false } = request;
    let target = url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(target, { method, headers, body, signal, dispatcher, redirect: 'manual' });
      const location = response.headers.get('location');
      if (statusOnly || !isRedirect(response.status) || location === null) return response;
      await response.body?.cancel();
      target = redirectTarget(target, location, method, redirects);
    }
  };

  const send = async (url: URL, request: OutboundRequest): Promise<Response> => {
    const { signal: callersSignal, timeoutMs, maxBytes = LARGEST_BODY, statusOnly } = request;
    callersSignal.throwIfAborted();
    const { signal, release } = withTimeout(callersSignal, timeoutMs);
    try {
      const response = await follow(url, request, signal);
      return statusOnly === true ? await withoutBody(response) : await whole(response, maxBytes);
    } catch (error) {
      callersSignal.throwIfAborted();
      if (policy !== 'any') throw new UnreachableError('it cannot be reached', { cause: error });
      if (error instanceof RedirectRefusedError) throw error;
      throw new UnreachableError(signal.aborted ? `no reply within ${timeoutMs / 1000} s` : fetchFailure(error), {
        cause: error,
      });
    } finally {
      release();
    }
  };

  return (url, request) => inCallSpan(new URL(url), request, send);
}

/** Sends a request in a span, and sends the span in `traceparent`. The URL is left out: it may contain secrets. */
function inCallSpan(
  url: URL,
  request: OutboundRequest,
  send: (url: URL, request: OutboundRequest) => Promise<Response>,
): Promise<Response> {
  const { method = 'GET' } = request;
  const attributes = {
    'http.request.method': method,
    'server.address': url.hostname,
    'url.scheme': url.protocol.slice(0, -1),
  };
  return inSpan(method, { kind: 'client', attributes }, async (span: Span | null) => {
    if (span === null) return send(url, request);
    const response = await send(url, { ...request, headers: { ...request.headers, ...span.headers() } });
    span.set('http.response.status_code', response.status);
    if (response.status >= 400) span.fail(String(response.status));
    return response;
  });
}

/**
 * A signal that aborts with the caller's, or after the time.
 *
 * It is not `AbortSignal.any([signal, AbortSignal.timeout(...)])`: on Node 20 nothing references that timeout. A
 * garbage collection during the call removes it, and a host that sends an occasional byte would be read forever.
 */
function withTimeout(callersSignal: AbortSignal, milliseconds: number): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const end = (): void => {
    controller.abort(callersSignal.reason);
  };
  callersSignal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The time is up', 'TimeoutError'));
  }, milliseconds);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      callersSignal.removeEventListener('abort', end);
    },
  };
}

function redirectTarget(from: URL, location: string, method: string, redirects: number): URL {
  if (!URL.canParse(location, from.href)) throw new RedirectRefusedError('it redirects to something that is not a URL');
  const to = new URL(location, from);
  // What the runtime says about such an address has the password.
  if (to.username !== '' || to.password !== '')
    throw new RedirectRefusedError('it redirects to an address with a user');
  if (to.origin !== from.origin) throw new RedirectRefusedError(`it redirects to another origin, ${to.origin}`);
  if (method !== 'GET' && method !== 'HEAD') throw new RedirectRefusedError(`it redirects a ${method} request`);
  if (redirects === MOST_REDIRECTS) throw new RedirectRefusedError(`it redirects more than ${MOST_REDIRECTS} times`);
  return to;
}

/** Leaves the body unread. */
async function withoutBody(response: UndiciResponse): Promise<Response> {
  const { status, statusText, headers } = response;
  await response.body?.cancel().catch(() => undefined); // the connection may have ended already
  return new Response(null, { status, statusText, headers: [...headers] });
}

/** Reads the whole body. Fails if the connection ends before the body is complete. */
async function whole(response: UndiciResponse, maxBytes: number): Promise<Response> {
  const { status, statusText, headers } = response;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body consists of bytes');
    length += chunk.length;
    if (length > maxBytes) throw new ReplyTooLongError(`the reply is longer than ${maxBytes} bytes`); // cancels the body
    chunks.push(chunk);
  }
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers: [...headers] });
}

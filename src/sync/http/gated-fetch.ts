/** `fetch` behind a gate: it waits its turn, and tells the gate what the reply says about the next one. */
import type { Gate } from './gate.js';
import { serverDelay } from './server-delay.js';

export interface GatedFetchOptions {
  readonly gate: Gate;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Milliseconds after which a request without a reply counts as failed. */
  readonly timeout: number;
}

/** One try of one request. Whether there is another is the caller's decision; when, is the gate's. */
export function gatedFetch({ gate, now, signal, timeout }: GatedFetchOptions): typeof fetch {
  return async (input, init) => {
    await gate.pass();
    const signals = [signal, AbortSignal.timeout(timeout), ...(init?.signal ? [init.signal] : [])];
    let response: Response;
    try {
      response = await whole(await fetch(input, { ...init, signal: AbortSignal.any(signals) }));
    } catch (error) {
      signal.throwIfAborted();
      gate.backOff('no reply');
      throw error;
    }
    const limited = isRateLimited(response);
    const delay = limited || response.status >= 500 ? serverDelay(response.headers, now()) : undefined;
    if (delay !== undefined) gate.delay(delay, limited ? 'rate limit' : `status ${response.status}`);
    else if (response.status === 429 || response.status >= 500) gate.backOff(`status ${response.status}`);
    else if (response.ok) gate.succeeded();
    return response;
  };
}

/** The reply with its body read: a connection that is cut in the middle of one is a failed request, not a short reply. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(status === 204 || status === 205 || status === 304 ? null : body, {
    status,
    statusText,
    headers,
  });
}

/** 429, or 403 in the way in which host_a says that a limit is reached. A plain 403 is a refusal. */
export function isRateLimited(response: Response): boolean {
  if (response.status === 429) return true;
  return (
    response.status === 403 &&
    (response.headers.has('retry-after') || response.headers.get('x-ratelimit-remaining') === '0')
  );
}

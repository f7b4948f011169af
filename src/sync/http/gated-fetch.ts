/** Outbound calls behind a gate. They wait until the gate is open, and pass it the delay that a reply asks for. */
import {
  RedirectRefusedError,
  type OutboundFetch,
  type OutboundRequest,
} from '@plumbline/contract/outbound/outbound-fetch';
import type { Gate } from './gate.js';
import { serverDelay } from './server-delay.js';

export interface GatedFetchOptions {
  readonly fetch: OutboundFetch;
  readonly gate: Gate;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** The time limit for a reply, in milliseconds. After that the request counts as failed. */
  readonly timeout: number;
}

export type GatedFetch = (
  url: string,
  request: Partial<Pick<OutboundRequest, 'method' | 'headers' | 'body'>>,
) => Promise<Response>;

/** Makes one attempt of a request. The caller decides whether to retry, and the gate decides when. */
export function gatedFetch({ fetch, gate, now, signal, timeout }: GatedFetchOptions): GatedFetch {
  return async (url, { method = 'GET', headers = {}, body }) => {
    await gate.pass();
    let response: Response;
    try {
      const content = body === undefined ? {} : { body };
      response = await fetch(url, { method, headers, ...content, signal, timeoutMs: timeout });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RedirectRefusedError)) gate.backOff('no reply');
      throw error;
    }
    const limited = isRateLimited(response);
    const delay = limited || response.status >= 500 ? serverDelay(response.headers, now()) : undefined;
    if (delay !== undefined) gate.delay(delay, limited ? 'rate limit' : `status ${response.status}`);
    else if (isUnfinished(response) || response.status === 429 || response.status >= 500)
      gate.backOff(`status ${response.status}`);
    else if (response.ok) gate.succeeded();
    return response;
  };
}

/** Whether the host is still computing what was asked for. */
export function isUnfinished(response: Response): boolean {
  return response.status === 202;
}

/** Whether a reply reports a rate limit: 429, or host_a's variant of 403. A plain 403 is a refusal. */
export function isRateLimited(response: Response): boolean {
  if (response.status === 429) return true;
  return (
    response.status === 403 &&
    (response.headers.has('retry-after') || response.headers.get('x-ratelimit-remaining') === '0')
  );
}
